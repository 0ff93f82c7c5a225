// SPDX-License-Identifier: Apache-2.0
//
// What the binary glTF of an environment has: names, numbers of patches in each frame, and places of bodies.
'use strict';

const kTypeWidths = { SCALAR: 1, VEC3: 3, VEC4: 4 };

/// A number with a few digits.
function rounded(value, digits) {
  return Number(value.toPrecision(digits || 4)).toString();
}

/// The numbers of a vector, with as many decimals as its length has four digits.
function roundedVector(vector) {
  const length = Math.hypot(...vector), step = length > 0 ? Math.pow(10, Math.floor(Math.log10(length)) - 3) : 1;
  return vector.map((value) => rounded(Math.round(value / step) * step + 0));
}

class Record {
  constructor(bytes) {
    this.bytes = bytes;
    this.jsonLength = new DataView(bytes.buffer).getUint32(12, true);
    this.gltf = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + this.jsonLength)));
    this.facts = this.gltf.scenes[0].extras;
    this.frames = this.facts.frames;
    this.inTime = this.frames[0].time !== undefined;
    this.patches = this.frames.map(() => []);
    for (const mesh of this.gltf.meshes || []) {
      if (mesh.extras && mesh.extras.frame !== undefined) this.patches[mesh.extras.frame].push(mesh.extras);
    }
    this.readTracks();
  }

  /// Those of bodies, parts and arrows, which have a value for each frame.
  readTracks() {
    this.tracks = [];
    this.times = [0];
    const animation = (this.gltf.animations || [])[0];
    for (const channel of animation ? animation.channels : []) {
      const sampler = animation.samplers[channel.sampler], node = channel.target.node;
      if ((this.gltf.nodes[node].extras || {}).frame !== undefined) continue;
      this.times = this.array(sampler.input);
      this.tracks.push({ node: node, path: channel.target.path, values: this.array(sampler.output),
        blends: sampler.interpolation !== 'STEP' });
    }
    if (this.frames.length > this.times.length) {
      this.times = this.frames.map((frame, k) => this.inTime ? frame.time - this.frames[0].time : 0.5 * k);
    }
  }

  array(accessor) {
    const of = this.gltf.accessors[accessor], view = this.gltf.bufferViews[of.bufferView];
    const first = 28 + this.jsonLength + (view.byteOffset || 0) + (of.byteOffset || 0);
    return new Float32Array(this.bytes.buffer, first, kTypeWidths[of.type] * of.count);
  }

  /// The last frame that has begun at a time after the first one [s].
  frameAt(time) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle; else high = middle - 1;
    }
    return low;
  }

  nearestFrame(time) {
    const frame = this.frameAt(time), next = Math.min(frame + 1, this.times.length - 1);
    return this.times[next] - time < time - this.times[frame] ? next : frame;
  }

  timeText(frame) {
    const of = this.frames[frame];
    return this.inTime ? of.time.toFixed(3) + ' s' : 'environment ' + of.environment;
  }

  pairName(pair) {
    return this.facts.pairs[pair].map((body) => this.facts.bodies[body]).join(' on ');
  }

  /// Where the origin of a body is, in m.
  origin(body, frame) {
    const index = this.gltf.nodes.findIndex((node) => node.extras && node.extras.body === body);
    const track = this.tracks.find((of) => of.node === index && of.path === 'translation');
    if (track) return Array.from(track.values.subarray(3 * frame, 3 * frame + 3));
    return this.gltf.nodes[index].translation || [0, 0, 0];
  }

  /// Force, torque, area, largest pressure and polygons of the patches of a pair, or of a body, in a frame. They are on
  /// the first body of the pair, or on the body; the torque is about its origin, and null if it is not known.
  contact(selected, frame) {
    const pairs = this.facts.pairs;
    const total = { force: [0, 0, 0], torque: [0, 0, 0], area: 0, pressure: 0, polygons: 0 };
    for (const patch of this.patches[frame]) {
      const [a, b] = pairs[patch.pair];
      const isFirst = selected.pair === patch.pair || selected.body === a;
      if (!isFirst && selected.body !== b) continue;
      const sign = isFirst ? 1 : -1;
      total.area += patch.area;
      total.polygons += patch.polygons;
      total.pressure = Math.max(total.pressure, patch.max_pressure);
      total.force = total.force.map((value, k) => value + sign * patch.force[k]);
      if (!patch.torque || !total.torque) {
        total.torque = null;
        continue;
      }
      const arm = [0, 0, 0];  // from the origin of the body to that of the pair's first one
      if (!isFirst) {
        const at = this.origin(a, frame), from = this.origin(b, frame);
        for (let k = 0; k < 3; ++k) arm[k] = at[k] - from[k];
      }
      total.torque = total.torque.map((value, k) => {
        const i = (k + 1) % 3, j = (k + 2) % 3;
        return value + sign * (patch.torque[k] + arm[i] * patch.force[j] - arm[j] * patch.force[i]);
      });
    }
    return total;
  }
}

/// The environments in the element `glb`, which are unpacked when they are shown.
class Environments {
  constructor() {
    const { textContent, dataset } = document.getElementById('glb');
    this.packed = textContent.split(' ');
    this.numbers = dataset.environments.split(' ');
    this.first = null;
  }

  async record(index) {
    if (!this.first) this.first = await this.unpacked(0);
    return new Record(index > 0 ? await this.joined(await this.unpacked(index)) : this.first);
  }

  async unpacked(index) {
    const text = atob(this.packed[index]);
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /// Of bytes without what the first environment has too: see without_shared() in page.h.
  async joined(bytes) {
    const numbers = new DataView(bytes.buffer), parts = [];
    for (let at = 0; at < bytes.length;) {
      const [from, shared, own] = [0, 4, 8].map((k) => numbers.getUint32(at + k, true));
      at += 12;
      parts.push(this.first.subarray(from, from + shared), bytes.subarray(at, at + own));
      at += own;
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }
}
