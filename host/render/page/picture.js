// SPDX-License-Identifier: Apache-2.0
//
// The picture, by three.js.
'use strict';

class Picture {
  /// `pick` is called with the {body} or {pair} that is clicked.
  constructor(facts, context, canvas, pick) {
    this.facts = facts;
    this.canvas = canvas;
    this.pick = pick;
    this.followed = null;
    this.hiddenBodies = new Set();
    this.hidesPatches = this.hidesForces = false;
    this.map = this.colorMap();
    this.scene = null;
    this.renderer = new THREE.WebGLRenderer({ canvas: canvas, context: context });
    this.camera = new THREE.PerspectiveCamera(35, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableKeys = false;  // arrows go from frame to frame
    this.world = new THREE.Scene();
    this.world.add(new THREE.HemisphereLight(0xffffff, 0x999999, 0.75));
    const lamp = new THREE.DirectionalLight(0xffffff, 0.55);
    this.camera.add(lamp);
    lamp.position.set(-1, 1.5, 1);
    this.world.add(this.camera);
    this.takeExtent();
    this.fitView();
    this.setBackground();
  }

  /// Reads bodies, patches and arrows of an environment, which then stand in place of those of another one.
  load(record) {
    return new Promise((resolve, reject) => {
      new THREE.GLTFLoader().parse(this.fileWithoutImages(record), '', (loaded) => {
        const { parser } = loaded, nodes = record.gltf.nodes;
        Promise.all(nodes.map((node, index) => parser.getDependency('node', index)))
          .then((made) => this.take(record, loaded.scene, made)).then(resolve, reject);
      }, reject);
    });
  }

  take(record, scene, nodes) {
    const { gltf } = record, isFirst = this.scene === null;
    if (!isFirst) this.remove(this.scene);
    this.record = record;
    this.scene = scene;
    this.nodes = nodes;
    this.frame = 0;
    this.bodies = [];
    this.arrows = [];
    this.patches = [];          // by frame: the node of its patches
    this.picked = new Map();    // what a click on a node selects
    nodes.forEach((node, index) => {
      const { extras = {}, children = [] } = gltf.nodes[index];
      if (extras.body !== undefined) {
        this.bodies[extras.body] = node;
        node.visible = !this.hiddenBodies.has(extras.body);
        this.picked.set(node, { body: extras.body });
      }
      if (extras.force_of_pair !== undefined) {
        this.arrows.push(node);
        node.visible = !this.hidesForces;
        this.picked.set(node, { pair: extras.force_of_pair });
      }
      if (extras.frame === undefined) return;
      node.scale.set(1, 1, 1);
      node.visible = false;
      this.patches[extras.frame] = node;
      for (const child of children) {
        this.picked.set(nodes[child], { pair: gltf.meshes[gltf.nodes[child].mesh].extras.pair });
      }
    });
    const prepared = new Set();
    scene.traverse((object) => {
      if (!object.isMesh) return;
      object.renderOrder = this.isOverBodies(object) ? 1 : 0;
      if (!prepared.has(object.material)) this.prepareMaterial(object.material, object.renderOrder);
      prepared.add(object.material);
    });
    this.world.add(scene);
    if (this.followed) this.followed.node = this.bodies[this.followed.body];
    if (isFirst) this.start(); else this.lookAlike(record.facts);
  }

  remove(scene) {
    this.world.remove(scene);
    scene.traverse((object) => {
      if (!object.isMesh) return;
      object.geometry.dispose();
      object.material.dispose();
    });
  }

  start() {
    this.reset();
    this.controls.addEventListener('change', () => this.draw());
    new ResizeObserver(() => {
      if (this.fitView()) this.draw();
    }).observe(this.canvas.parentElement);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.setBackground();
      this.draw();
    });
    this.watchClicks();
  }

  /// What a click on an object selects, of the nearest node above it that has such.
  selectedBy(object) {
    while (object && !this.picked.has(object)) object = object.parent;
    return object ? this.picked.get(object) : null;
  }

  isOverBodies(object) {
    const selected = this.selectedBy(object);
    return selected !== null && selected.pair !== undefined;
  }

  prepareMaterial(material, renderOrder) {
    material.color.convertLinearToSRGB();  // colours are shown as they are in the file, without a gamma
    if (material.name === 'pressure') material.map = this.map;
    if (renderOrder) {
      material.transparent = true;  // after the bodies, which then do not tint it
    } else {
      material.depthWrite = false;  // three.js leaves that to us until r112
    }
  }

  /// Made here: reading the image in the file would be a request, for a blob.
  colorMap() {
    const size = 256, { colors } = this.facts, last = colors.length - 1;
    const pixels = new Uint8Array(3 * size);
    for (let i = 0; i < size; ++i) {
      const at = i / (size - 1) * last, low = Math.min(Math.floor(at), last - 1);
      const color = new THREE.Color(colors[low]).lerp(new THREE.Color(colors[low + 1]), at - low);
      color.toArray().forEach((channel, k) => {
        pixels[3 * i + k] = Math.round(255 * channel);
      });
    }
    const map = new THREE.DataTexture(pixels, size, 1, THREE.RGBFormat);
    map.minFilter = map.magFilter = THREE.LinearFilter;
    map.needsUpdate = true;
    return map;
  }

  fileWithoutImages({ gltf, bytes, jsonLength }) {
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
  }

  // --- the camera ------------------------------------------------------------------------------------------------

  takeExtent() {
    const { center: [x, y, z], radius } = this.facts;
    this.center = new THREE.Vector3(x, z, -y);  // y is up here
    this.camera.near = 0.01 * radius;
    this.camera.far = 100 * radius;
    this.camera.updateProjectionMatrix();
  }

  /// Looks from the same direction at an environment of another extent, as near to its size; else nothing moves.
  lookAlike(facts) {
    const { position } = this.camera, { target } = this.controls, center = this.center, before = this.distance();
    this.facts = facts;
    this.takeExtent();
    if (this.center.equals(center) && this.distance() === before) return;
    position.sub(target).multiplyScalar(this.distance() / before);
    if (!this.followed) target.copy(this.center);
    position.add(target);
    this.controls.update();
  }

  /// From where the whole scene is seen.
  distance() {
    const half = 0.5 * THREE.Math.degToRad(this.camera.fov);
    return 1.02 * this.facts.radius / Math.sin(Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect)));
  }

  /// Takes the size of the view, in which the scene stays whole; false if it has that size.
  fitView() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement, before = this.distance();
    const size = this.renderer.getSize(new THREE.Vector2()), pixels = window.devicePixelRatio || 1;
    if (size.x === width && size.y === height && this.renderer.getPixelRatio() === pixels) return false;
    this.renderer.setPixelRatio(pixels);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    const { position } = this.camera, { target } = this.controls;
    position.sub(target).multiplyScalar(this.distance() / before).add(target);
    return true;
  }

  look(x, y, z) {
    this.followed = null;
    this.camera.position.set(x, y, z).normalize().multiplyScalar(this.distance()).add(this.center);
    this.controls.target.copy(this.center);
    this.controls.update();  // which draws
  }

  reset() {
    if (this.facts.flat) this.lookFromAbove(); else this.look(0.55, 0.42, 0.72);
  }

  /// With the world's y up.
  lookFromAbove() {
    this.look(0, 1, 0);
  }

  /// Keeps a body in the middle, or none if it is null.
  follow(body) {
    this.followed = null;
    if (body === null) return;
    const node = this.bodies[body];
    const middle = new THREE.Box3().setFromObject(node).getCenter(new THREE.Vector3());
    this.followed = { body, node, middle: node.worldToLocal(middle) };
    this.moveWithBody();
    this.controls.update();
  }

  moveWithBody() {
    if (!this.followed) return;
    const { node, middle } = this.followed;
    node.updateWorldMatrix(true, false);  // of another environment it was not drawn yet
    const move = node.localToWorld(middle.clone()).sub(this.controls.target);
    this.controls.target.add(move);
    this.camera.position.add(move);
    this.camera.lookAt(this.controls.target);
  }

  setBackground() {
    const color = getComputedStyle(document.documentElement).getPropertyValue('--back').trim();
    this.renderer.setClearColor(new THREE.Color(color));
  }

  draw() {
    this.renderer.render(this.world, this.camera);
  }

  // --- what is shown ---------------------------------------------------------------------------------------------

  /// A frame, of which `blend` has gone by.
  show(frame, blend) {
    const from = new THREE.Quaternion(), to = new THREE.Quaternion();
    for (const { node: index, path, values, blends } of this.record.tracks) {
      const node = this.nodes[index], b = blends && frame + 1 < this.record.frames.length ? blend : 0;
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
    this.showPatches(this.frame, false);
    this.frame = frame;
    this.showPatches(frame, !this.hidesPatches);
    this.moveWithBody();
    this.draw();
  }

  showPatches(frame, visible) {
    if (this.patches[frame]) this.patches[frame].visible = visible;
  }

  setBodyShown(body, isShown) {
    if (isShown) this.hiddenBodies.delete(body); else this.hiddenBodies.add(body);
    this.bodies[body].visible = isShown;
    this.draw();
  }

  setPatchesShown(isShown) {
    this.hidesPatches = !isShown;
    this.showPatches(this.frame, isShown);
    this.draw();
  }

  setForcesShown(isShown) {
    this.hidesForces = !isShown;
    for (const node of this.arrows) node.visible = isShown;
    this.draw();
  }

  colorOf(body) {
    let color = '#999';
    this.bodies[body].traverse((object) => {
      if (object.isMesh) color = object.material.color.getStyle();
    });
    return color;
  }

  // --- clicks ----------------------------------------------------------------------------------------------------

  watchClicks() {
    const slack = 4;  // pixels that a click may move
    let down = null;
    this.canvas.addEventListener('pointerdown', (event) => {
      down = event.isPrimary && event.button === 0 ? [event.clientX, event.clientY] : null;
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) <= slack) this.pick(this.under(event));
      down = null;
    });
  }

  /// What is drawn at a place: patches and arrows are over the bodies.
  under(event) {
    const box = this.canvas.getBoundingClientRect(), caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(2 * (event.clientX - box.left) / box.width - 1,
      1 - 2 * (event.clientY - box.top) / box.height), this.camera);
    const isVisible = (object) => !object || object.visible && isVisible(object.parent);
    const hits = caster.intersectObject(this.world, true).filter((hit) => isVisible(hit.object));
    const hit = hits.find((of) => this.isOverBodies(of.object)) || hits[0];
    return hit && this.selectedBy(hit.object) || {};
  }
}
