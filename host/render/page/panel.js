// SPDX-License-Identifier: Apache-2.0
//
// The panel: boxes and names of bodies, the range of colours, the pairs that touch, and what is selected.
'use strict';

class Panel {
  /// `select` is called with {body} or {pair} if one is clicked.
  constructor(record, select) {
    this.facts = record.facts;
    this.select = select;
    this.selected = {};
    this.buttons = [];  // by which one selects: of bodies and of pairs
    this.element('title').textContent = this.facts.title;
    this.bodyMarks = this.facts.bodies.map((name, body) => this.addBody(name, body));
    this.use(record);
  }

  /// Takes the numbers of another environment of the scene.
  use(record) {
    this.record = record;
    this.facts = record.facts;
    this.plots = null;
    this.showPressures();
    this.showScaleOfArrows();
    this.addPairs();
  }

  element(id) {
    return document.getElementById(id);
  }

  added(parent, tag, text) {
    const child = parent.appendChild(document.createElement(tag));
    if (text !== undefined) child.textContent = text;
    return child;
  }

  showPressures() {
    const { max_pressure: last, colors } = this.facts;
    this.element('patches').style.background = colors[4];
    this.element('pressure').hidden = !(last > 0);
    if (!(last > 0)) return;
    const shown = (pressure) => rounded(1e-3 * pressure, 3);
    const isAbove = this.record.patches.some((patches) => patches.some(
      (patch) => patch.max_pressure > last && shown(patch.max_pressure) !== shown(last)));
    this.element('bar').style.background = 'linear-gradient(to right, ' + colors.join(', ') + ')';
    this.element('range').textContent = '';
    for (const label of ['0', (isAbove ? '≥ ' : '') + shown(last) + ' kPa']) {
      this.added(this.element('range'), 'span', label);
    }
  }

  showScaleOfArrows() {
    const { newtons_per_metre: scale, radius } = this.facts;
    this.element('arrows').hidden = !(scale > 0);
    if (!(scale > 0)) return;
    const force = scale * 0.3 * radius, power = Math.pow(10, Math.floor(Math.log10(force)));
    const round = (force >= 5 * power ? 5 : force >= 2 * power ? 2 : 1) * power;
    this.element('scale').textContent = rounded(round) + ' N: an arrow of ' + rounded(1e3 * round / scale, 3) + ' mm';
  }

  selectingButton(parent, name, of) {
    const button = this.added(parent, 'button', name);
    button.type = 'button';
    button.addEventListener('click', () => {
      const { body, pair } = this.selected;
      this.select(body === of.body && pair === of.pair ? {} : of);
    });
    this.buttons.push({ button, of });
    this.press({ button, of });
  }

  press({ button, of }) {
    const { body, pair } = this.selected;
    button.setAttribute('aria-pressed', String(of.body === body && of.pair === pair));
  }

  /// Returns the mark that has the body's colour.
  addBody(name, body) {
    const row = this.added(this.element('bodies'), 'div');
    const box = this.added(row, 'input');
    box.type = 'checkbox';
    box.checked = true;
    box.id = 'show_body_' + body;
    box.setAttribute('aria-label', 'show ' + name);
    if (body < 9) box.title = 'key ' + (body + 1);
    const mark = this.added(row, 'i');
    this.selectingButton(row, name, { body });
    return mark;
  }

  /// A row for each pair that touches in any frame, of which a frame shows some.
  addPairs() {
    const rows = this.element('pairs').tBodies[0], pairs = new Set();
    rows.textContent = '';
    this.buttons = this.buttons.filter(({ of }) => of.pair === undefined);
    for (const patches of this.record.patches) for (const patch of patches) pairs.add(patch.pair);
    this.rows = new Map();
    for (const pair of Array.from(pairs).sort((a, b) => a - b)) {
      const row = rows.insertRow();
      this.selectingButton(row.insertCell(), this.record.pairName(pair), { pair });
      this.rows.set(pair, { row, cells: [0, 1, 2].map(() => row.insertCell()) });
    }
    this.none = rows.insertRow();
    this.none.insertCell().textContent = 'none';
  }

  /// Shows the numbers of a frame.
  show(frame) {
    this.frame = frame;
    const patches = this.record.patches[frame];
    for (const { row } of this.rows.values()) row.hidden = true;
    for (const patch of patches) {
      const { row, cells } = this.rows.get(patch.pair);
      row.hidden = false;
      [Math.hypot(...patch.force), 1e4 * patch.area, 1e-3 * patch.max_pressure].forEach((value, k) => {
        cells[k].textContent = rounded(value);
      });
    }
    this.none.hidden = patches.length > 0;
    const words = this.record.frames[frame].status_text, status = this.element('status');
    const text = words ? 'Status: ' + words.replace(/_/g, ' ').replace(/\|/g, ', ') : '';
    if (status.textContent !== text) status.textContent = text;  // which a screen reader reads
    this.showSelected();
  }

  setSelected(selected) {
    this.selected = selected;
    for (const button of this.buttons) this.press(button);
    this.plots = null;
    this.showSelected();
  }

  showSelected() {
    const { body, pair } = this.selected, { record, frame } = this, { bodies, pairs } = this.facts;
    const isNone = body === undefined && pair === undefined;
    this.element('selected').hidden = isNone;
    this.element('hint').hidden = !isNone;
    if (isNone) return;
    this.element('selected_name').textContent = body !== undefined ? bodies[body] : record.pairName(pair);
    const on = bodies[body !== undefined ? body : pairs[pair][0]];
    const { force, torque, area, pressure, polygons } = record.contact(this.selected, frame);
    const vector = (values, unit) => rounded(Math.hypot(...values)) + ' ' + unit + ' (' +
      roundedVector(values).join(', ') + ')';
    const numbers = this.element('numbers');
    numbers.textContent = '';
    const add = (name, value) => {
      this.added(numbers, 'dt', name);
      this.added(numbers, 'dd', value);
    };
    add('force', vector(force, 'N'));
    if (torque) add('torque', vector(torque, 'N m'));
    add('area', rounded(1e4 * area) + ' cm²');
    add('pressure', 'up to ' + rounded(1e-3 * pressure) + ' kPa');
    add('polygons', polygons.toString());
    this.element('on').textContent = 'On ' + on + (torque ? ', the torque about its origin' : '') + '.';
    this.showPlots();
  }

  showPlots() {
    if (!this.plots) {
      const contacts = this.record.frames.map((_, frame) => this.record.contact(this.selected, frame));
      const place = this.element('plots'), go = (frame) => this.goTo(frame);
      place.textContent = '';
      this.plots = this.record.frames.length < 2 ? [] : [
        new Plot(place, this.record, 'force', contacts.map((of) => Math.hypot(...of.force)), 'N', go),
        new Plot(place, this.record, 'area', contacts.map((of) => 1e4 * of.area), 'cm²', go)];
    }
    for (const plot of this.plots) plot.mark(this.frame);
  }
}
