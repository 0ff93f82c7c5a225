# SPDX-License-Identifier: Apache-2.0
#
# Puts the viewer and three.js into one page, and this, compressed, into a source of C++:
#   cmake -DPAGE=folder -DTHREE=folder -DOUTPUT=page_bytes.cpp -P embed_page.cmake
file(READ ${PAGE}/viewer.html page)
foreach(part "STYLE ${PAGE}/viewer.css" "THREE ${THREE}/three.min.js"
             "GLTF_LOADER ${THREE}/examples/js/loaders/GLTFLoader.js"
             "ORBIT_CONTROLS ${THREE}/examples/js/controls/OrbitControls.js" "RECORD ${PAGE}/record.js"
             "PLOT ${PAGE}/plot.js" "PANEL ${PAGE}/panel.js" "PICTURE ${PAGE}/picture.js" "VIEWER ${PAGE}/viewer.js")
  string(REGEX MATCH "^[A-Z_]+" name "${part}")
  string(REGEX REPLACE "^[A-Z_]+ " "" file "${part}")
  file(READ "${file}" text)
  if(NOT file MATCHES "\\.min\\.js$")  # without indentation and comments, a third of the bytes of three.js's readers
    string(REGEX REPLACE "\n[ \t\n]+" "\n" text "\n${text}")
    string(REGEX REPLACE "(\n//[^\n]*)+" "" text "${text}")
  endif()
  if(text MATCHES "</script")
    message(FATAL_ERROR "${file} would end the script of a page")
  endif()
  string(REPLACE "@${name}@" "${text}" page "${page}")
endforeach()
file(WRITE ${OUTPUT}.html "${page}")
file(SIZE ${OUTPUT}.html size)
file(ARCHIVE_CREATE OUTPUT ${OUTPUT}.gz PATHS ${OUTPUT}.html FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
file(READ ${OUTPUT}.gz hex HEX)
# without the time in the header, so that the same sources make the same bytes
string(SUBSTRING "${hex}" 0 8 head)
string(SUBSTRING "${hex}" 16 -1 tail)
set(hex "${head}00000000${tail}")
string(LENGTH "${hex}" digits)
math(EXPR count "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "#include \"host/render/page.h\"\n\nnamespace isopatch::detail {\n\n"
                     "const unsigned char kPageBytes[] = {${bytes}};\n"
                     "const std::size_t kPageByteCount = ${count};\nconst std::size_t kPageSize = ${size};\n\n"
                     "}  // namespace isopatch::detail\n")
file(REMOVE ${OUTPUT}.html ${OUTPUT}.gz)
