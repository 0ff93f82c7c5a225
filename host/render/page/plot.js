// SPDX-License-Identifier: Apache-2.0
//
// A number in all frames as a line, with a mark at the frame that is shown.
'use strict';

class Plot {
  /// `goTo` is called with the frame that is clicked.
  constructor(place, record, name, values, unit, goTo) {
    const width = 280, height = 60, top = 14;
    this.record = record;
    this.values = values;
    this.unit = unit;
    this.name = name;
    const most = Math.max(...values.filter(Number.isFinite), 0), end = record.times[record.times.length - 1] || 1;
    const x = (frame) => width * record.times[frame] / end;
    const y = (value) => height - 1 - (height - top - 2) * (most > 0 ? value / most : 0);
    this.x = x;
    this.svg = this.added(place, 'svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img' });
    const lines = [height - 1, y(most)].map((at) => 'M0 ' + at + 'H' + width);
    this.added(this.svg, 'path', { class: 'axis', d: lines.join('') });
    const points = values.map((value, frame) => x(frame).toFixed(1) + ',' + y(value).toFixed(1));
    this.added(this.svg, 'polyline', { class: 'line', points: points.join(' ') });
    this.marker = this.added(this.svg, 'path', { class: 'marker', d: 'M0 ' + top + 'V' + height });
    this.dot = this.added(this.svg, 'circle', { class: 'dot', r: 3 });
    this.y = y;
    this.label = this.added(this.svg, 'text', { x: 0, y: 10 });
    const right = this.added(this.svg, 'text', { x: width, y: 10, 'text-anchor': 'end' });
    right.textContent = 'up to ' + rounded(most) + ' ' + unit;
    this.svg.addEventListener('click', (event) => {
      const box = this.svg.getBoundingClientRect();
      goTo(record.nearestFrame((event.clientX - box.left) / box.width * end));
    });
  }

  added(parent, tag, attributes) {
    const child = parent.appendChild(document.createElementNS('http://www.w3.org/2000/svg', tag));
    for (const [name, value] of Object.entries(attributes)) child.setAttribute(name, value);
    return child;
  }

  mark(frame) {
    const text = this.name + ' ' + rounded(this.values[frame]) + ' ' + this.unit;
    this.marker.setAttribute('transform', 'translate(' + this.x(frame) + ' 0)');
    this.dot.setAttribute('cx', this.x(frame));
    this.dot.setAttribute('cy', this.y(this.values[frame]));
    this.label.textContent = text;
    this.svg.setAttribute('aria-label', 'Plot over all frames: ' + text + ' at ' + this.record.timeText(frame));
  }
}
