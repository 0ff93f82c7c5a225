// SPDX-License-Identifier: Apache-2.0
//
// Shows the binary glTF in the element `glb`, which is compressed; sets window.ready once the first picture is drawn, or if there is none.
'use strict';
(async function () {
  const element = (id) => document.getElementById(id);
  const text = atob(element('glb').textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
  if (typeof DecompressionStream === 'undefined') {
    element('title').textContent = 'This browser is too old for the page: it needs DecompressionStream (2023).';
    window.ready = true;
    return;
  }
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const jsonLength = new DataView(bytes.buffer).getUint32(12, true);
  const gltf = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + jsonLength)));
  const facts = gltf.scenes[0].extras;
  const frames = facts.frames;
  const inTime = frames[0].time !== undefined;
  const pairName = (pair) => facts.pairs[pair].map((body) => facts.bodies[body]).join(' on ');
  const rounded = (value, digits) => Number(value.toPrecision(digits || 4)).toString();
  const hidden = new Set();  // indices of bodies whose boxes are not checked

  // --- what needs no WebGL ---------------------------------------------------------------------------------------

  const patches = frames.map(() => []);
  for (const mesh of gltf.meshes || []) {
    if (mesh.extras && mesh.extras.frame !== undefined) patches[mesh.extras.frame].push(mesh.extras);
  }

  const showTable = (frame) => {
    const rows = element('pairs').tBodies[0];
    rows.textContent = '';
    for (const patch of patches[frame]) {
      const row = rows.insertRow();
      for (const value of [pairName(patch.pair), rounded(Math.hypot(...patch.force)), rounded(1e4 * patch.area),
        rounded(1e-3 * patch.max_pressure)]) row.insertCell().textContent = value;
      row.title = 'force (' + patch.force.map((f) => rounded(f)).join(', ') + ') N on ' +
        facts.bodies[facts.pairs[patch.pair][0]] + ', ' + patch.polygons + ' polygons';
    }
    if (!patches[frame].length) rows.insertRow().insertCell().textContent = 'none';
    element('status').textContent = frames[frame].status ? 'status ' + frames[frame].status : '';
  };

  const showTime = (frame) => {
    const of = frames[frame];
    element('time').textContent = inTime ? of.time.toFixed(3) + ' s' : 'environment ' + of.environment;
  };

  element('title').textContent = facts.title;
  if (facts.max_pressure > 0) {
    element('bar').style.background = 'linear-gradient(to right, ' + facts.colors.join(', ') + ')';
    for (const label of ['0', rounded(1e-3 * facts.max_pressure, 3) + ' kPa']) {
      element('range').appendChild(document.createElement('span')).textContent = label;
    }
  } else {
    element('pressure').hidden = true;
  }
  if (facts.newtons_per_metre > 0) {
    const force = facts.newtons_per_metre * 0.3 * facts.radius, power = Math.pow(10, Math.floor(Math.log10(force)));
    const round = (force >= 5 * power ? 5 : force >= 2 * power ? 2 : 1) * power;
    element('scale').textContent = rounded(round) + ' N: an arrow of ' +
      rounded(1e3 * round / facts.newtons_per_metre, 3) + ' mm';
  } else {
    element('arrows').hidden = true;
  }
  element('player').hidden = frames.length < 2;
  element('speed').hidden = !inTime;
  element('slider').max = frames.length - 1;
  showTable(0);
  showTime(0);

  const withoutWebGl = (reason) => {
    element('canvas').hidden = true;
    element('no_webgl').hidden = false;
    element('no_webgl').textContent = reason;
    element('bodies').hidden = true;
    element('play').hidden = true;
    element('slider').addEventListener('input', () => {
      showTable(Number(element('slider').value));
      showTime(Number(element('slider').value));
    });
    window.ready = true;
  };

  let context = null;
  try {  // before three.js tries, which would print that it failed
    const options = { antialias: true, alpha: false, preserveDrawingBuffer: true };
    context = element('canvas').getContext('webgl', options);
  } catch (error) {
    context = null;
  }
  if (!context) {
    withoutWebGl('This browser has no WebGL, so only the numbers are shown.');
    return;
  }

  // --- the picture -----------------------------------------------------------------------------------------------

  const renderer = new THREE.WebGLRenderer({ canvas: element('canvas'), context: context });
  renderer.setPixelRatio(window.devicePixelRatio || 1);
  renderer.setClearColor(0xffffff);
  const camera = new THREE.PerspectiveCamera(35, 1, 0.01 * facts.radius, 100 * facts.radius);
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  const world = new THREE.Scene();
  world.add(new THREE.HemisphereLight(0xffffff, 0x999999, 0.75));
  const lamp = new THREE.DirectionalLight(0xffffff, 0.55);
  camera.add(lamp);
  lamp.position.set(-1, 1.5, 1);
  world.add(camera);

  const center = new THREE.Vector3(facts.center[0], facts.center[2], -facts.center[1]);  // y is up here
  const covered = () => {  // the part of the view that the panel covers
    const share = element('panel').offsetWidth / element('view').clientWidth;
    return share < 0.5 ? share : 0;
  };
  const placeCamera = () => {
    const half = 0.5 * THREE.Math.degToRad(camera.fov);
    const aspect = camera.aspect * (1 - covered());
    const distance = facts.radius / Math.sin(Math.min(half, Math.atan(Math.tan(half) * aspect)));
    camera.position.set(...(facts.flat ? [0, 1, 0] : [0.55, 0.42, 0.72]));  // polygons from above, the world's y up
    camera.position.normalize().multiplyScalar(1.02 * distance).add(center);
    controls.target.copy(center);
    controls.update();
  };

  const draw = () => renderer.render(world, camera);
  const resize = () => {
    const view = element('view');
    renderer.setSize(view.clientWidth, view.clientHeight, false);
    camera.aspect = view.clientWidth / Math.max(view.clientHeight, 1);
    const [width, height] = [view.clientWidth, view.clientHeight];
    camera.setViewOffset(width, height, -0.5 * covered() * width, 0, width, height);
    camera.updateProjectionMatrix();
  };

  // The colour map is made here: reading the image in the file would be a request, for a blob.
  const colorMap = () => {
    const size = 256, last = facts.colors.length - 1;
    const pixels = new Uint8Array(3 * size);
    for (let i = 0; i < size; ++i) {
      const at = i / (size - 1) * last, low = Math.min(Math.floor(at), last - 1);
      const a = new THREE.Color(facts.colors[low]).lerp(new THREE.Color(facts.colors[low + 1]), at - low);
      a.toArray().forEach((channel, k) => {
        pixels[3 * i + k] = Math.round(255 * channel);
      });
    }
    const map = new THREE.DataTexture(pixels, size, 1, THREE.RGBFormat);
    map.minFilter = map.magFilter = THREE.LinearFilter;
    map.needsUpdate = true;
    return map;
  };
  const withoutImages = () => {
    for (const material of gltf.materials) delete (material.pbrMetallicRoughness || {}).baseColorTexture;
    for (const key of ['images', 'textures', 'samplers']) delete gltf[key];
    const json = new TextEncoder().encode(JSON.stringify(gltf));
    const padded = Math.ceil(json.length / 4) * 4, rest = bytes.subarray(20 + jsonLength);
    const file = new Uint8Array(20 + padded + rest.length).fill(0x20);
    file.set(bytes.subarray(0, 20));
    new DataView(file.buffer).setUint32(8, file.length, true);
    new DataView(file.buffer).setUint32(12, padded, true);
    file.set(json, 20);
    file.set(rest, 20 + padded);
    return file.buffer;
  };

  const prepareMaterial = (material, renderOrder) => {
    material.color.convertLinearToSRGB();  // colours are shown as they are in the file, without a gamma
    if (material.name === 'pressure') material.map = colorMap();
    if (renderOrder) {
      material.transparent = true;  // after the bodies, which then do not tint it
    } else {
      material.depthWrite = false;  // three.js leaves that to us until r112
    }
  };

  const start = (loaded, nodes) => {
    const channels = [];  // of bodies and arrows: one of three values for each frame
    const shown = [];     // by frame: the node of its patches
    const prepared = new Set();
    const bodyNodes = [], arrowNodes = [];
    nodes.forEach((node, index) => {
      const extras = gltf.nodes[index].extras || {};
      if (extras.body !== undefined) bodyNodes[extras.body] = node;
      if (extras.force_of_pair !== undefined) arrowNodes.push(node);
      if (extras.frame === undefined) return;
      node.scale.set(1, 1, 1);
      node.visible = extras.frame === 0;
      shown[extras.frame] = node;
    });
    const isBelow = (node, roots) => {
      while (node && !roots.has(node)) node = node.parent;
      return node !== null;
    };
    const overBodies = new Set(shown.filter(Boolean).concat(arrowNodes));
    loaded.scene.traverse((object) => {
      if (!object.isMesh) return;
      const over = isBelow(object, overBodies);
      object.renderOrder = over ? 1 : 0;
      if (!prepared.has(object.material)) prepareMaterial(object.material, object.renderOrder);
      prepared.add(object.material);
    });

    const animation = (gltf.animations || [])[0];
    const view = (accessor) => {
      const of = gltf.accessors[accessor], buffer = gltf.bufferViews[of.bufferView];
      const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[of.type];
      const first = 28 + jsonLength + (buffer.byteOffset || 0) + (of.byteOffset || 0);
      return new Float32Array(bytes.buffer, first, width * of.count);
    };
    let times = [0];
    if (animation) {
      for (const channel of animation.channels) {
        const sampler = animation.samplers[channel.sampler];
        const extras = gltf.nodes[channel.target.node].extras || {};
        if (extras.frame !== undefined) continue;
        times = view(sampler.input);
        channels.push({ node: nodes[channel.target.node], path: channel.target.path,
          values: view(sampler.output), blends: sampler.interpolation !== 'STEP' });
      }
      if (frames.length > times.length) times = frames.map((frame, k) => inTime ? frame.time - frames[0].time : 0.5 * k);
    }

    const from = new THREE.Quaternion(), to = new THREE.Quaternion();
    let current = 0;
    const show = (frame, blend) => {
      for (const { node, path, values, blends } of channels) {
        const b = blends && frame + 1 < frames.length ? blend : 0;
        if (path === 'rotation') {
          from.fromArray(values, 4 * frame);
          if (b > 0) from.slerp(to.fromArray(values, 4 * (frame + 1)), b);
          node.quaternion.copy(from);
        } else {
          const vector = path === 'scale' ? node.scale : node.position;
          vector.fromArray(values, 3 * frame);
          if (b > 0) vector.lerp(new THREE.Vector3().fromArray(values, 3 * (frame + 1)), b);
        }
      }
      if (frame !== current) {
        if (shown[current]) shown[current].visible = false;
        if (shown[frame]) shown[frame].visible = element('show_patches').checked;
        current = frame;
        showTable(frame);
        showTime(frame);
      }
      draw();
    };

    // check boxes
    const box = (id, label, color, change) => {
      const row = element('bodies').appendChild(document.createElement('label'));
      const input = row.appendChild(document.createElement('input'));
      input.type = 'checkbox';
      input.checked = true;
      input.id = id;
      const mark = row.appendChild(document.createElement('i'));
      mark.style.background = color;
      row.appendChild(document.createTextNode(label));
      input.addEventListener('change', () => {
        change(input.checked);
        draw();
      });
    };
    facts.bodies.forEach((name, body) => {
      let color = '#999';
      bodyNodes[body].traverse((object) => {
        if (object.isMesh) color = object.material.color.getStyle();
      });
      box('show_body_' + body, name, color, (checked) => {
        bodyNodes[body].visible = checked;
      });
    });
    box('show_patches', 'patches', facts.colors[4], (checked) => {
      if (shown[current]) shown[current].visible = checked;
    });
    box('show_forces', 'forces', '#c82626', (checked) => {
      for (const node of arrowNodes) node.visible = checked;
    });

    // the player
    const slider = element('slider'), play = element('play');
    let playing = false, last = 0, seconds = 0;
    const frameAt = (time) => {
      let low = 0, high = times.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= time) low = middle; else high = middle - 1;
      }
      return low;
    };
    const tick = (now) => {
      if (!playing) return;
      seconds += 1e-3 * (now - last) * (inTime ? Number(element('speed').value) : 1);
      last = now;
      const end = times[times.length - 1] + (inTime ? 0 : 0.5);
      if (seconds > end) seconds = 0;
      const frame = frameAt(seconds);
      const long = frame + 1 < times.length ? times[frame + 1] - times[frame] : 1;
      slider.value = frame;
      show(frame, Math.min((seconds - times[frame]) / long, 1));
      requestAnimationFrame(tick);
    };
    const setPlaying = (value) => {
      playing = value;
      play.textContent = playing ? 'Pause' : 'Play';
      if (!playing) return;
      seconds = Number(slider.value) >= frames.length - 1 ? 0 : times[Number(slider.value)];
      last = performance.now();
      requestAnimationFrame(tick);
    };
    play.addEventListener('click', () => setPlaying(!playing));
    slider.addEventListener('input', () => {
      setPlaying(false);
      show(Number(slider.value), 0);
    });

    world.add(loaded.scene);
    resize();
    placeCamera();
    controls.addEventListener('change', draw);
    window.addEventListener('resize', () => {
      resize();
      draw();
    });
    draw();
    window.viewer = { camera: camera, world: world, bodies: bodyNodes, controls: controls, draw: draw };
    window.ready = true;
  };

  new THREE.GLTFLoader().parse(withoutImages(), '', (loaded) => {
    Promise.all(gltf.nodes.map((node, index) => loaded.parser.getDependency('node', index)))
      .then((nodes) => start(loaded, nodes));
  }, (error) => withoutWebGl('This picture cannot be shown: ' + error));
})();
