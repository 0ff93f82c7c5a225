// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/pressure_field/device_pressure_field.cuh"
#include "kernels/single_contact/device_single_contact.cuh"

namespace isopatch::detail {

/// The library's contact models that steps have.
using LibraryDeviceModels =
    DeviceModels<DevicePressureField, DeviceSingleContact<VolumetricModel>, DeviceSingleContact<PointModel>>;

}  // namespace isopatch::detail
