// SPDX-License-Identifier: Apache-2.0
//
// Panel, picture and player together; sets window.ready once the first picture is drawn, or if there is none.
'use strict';
(async function () {
  const element = (id) => document.getElementById(id);
  // a style has the sizes at which the panel is folded at first
  const isSmall = () => getComputedStyle(document.documentElement).getPropertyValue('--small').trim() === '1';
  const foldPanel = (isFolded) => {
    element('panel').hidden = isFolded;
    element('fold').setAttribute('aria-expanded', String(!isFolded));
  };
  foldPanel(isSmall());
  element('fold').addEventListener('click', () => foldPanel(!element('panel').hidden));

  const say = (sentence) => {
    element('sentence').textContent = sentence;
    element('sentence').hidden = false;
    foldPanel(false);
    element('shown').hidden = true;
    element('camera').hidden = true;
  };
  if (typeof DecompressionStream === 'undefined') {
    say('This browser is too old for the page: it needs DecompressionStream (2023).');
    element('panel').hidden = element('buttons').hidden = true;
    window.ready = true;
    return;
  }

  const environments = new Environments(), { numbers } = environments;
  let record = await environments.record(0);
  const { facts, frames, inTime } = record;  // of which all environments have as many
  let picture = null, selected = {};

  // --- the frame that is shown -----------------------------------------------------------------------------------

  const slider = element('slider');
  let current = 0, chosen = 0;
  const describe = () => {
    const names = record.patches[current].map((patch) => record.pairName(patch.pair));
    const environment = numbers.length > 1 ? ', environment ' + numbers[chosen] : '';
    element('canvas').setAttribute('aria-label', facts.title + environment + ' at ' + record.timeText(current) + ': ' +
      facts.bodies.join(', ') + '. ' + (names.length ? 'Touching: ' + names.join(', ') : 'Nothing touches') + '.');
  };
  const showNumbers = (frame) => {
    current = frame;
    panel.show(frame);
    element('time').textContent = record.timeText(frame);
    slider.setAttribute('aria-valuetext', record.timeText(frame));
    describe();
  };
  const show = (frame, blend) => {
    slider.value = frame;
    if (frame !== current) showNumbers(frame);
    if (picture) picture.show(frame, blend);
  };

  // --- what is selected ------------------------------------------------------------------------------------------

  const follow = (body) => {
    if (picture) picture.follow(body);
    element('follow').setAttribute('aria-pressed', String(body !== null));
  };
  const isFollowing = () => element('follow').getAttribute('aria-pressed') === 'true';
  const bodyOf = ({ body, pair }) => body !== undefined ? body : pair !== undefined ? facts.pairs[pair][0] : null;
  const select = (of) => {
    selected = of;
    panel.setSelected(of);
    element('follow').disabled = bodyOf(of) === null;
    if (isFollowing()) follow(bodyOf(of));
  };
  const panel = new Panel(record, select);

  // --- the player ------------------------------------------------------------------------------------------------

  let playing = false, last = 0, seconds = 0;
  const tick = (now) => {
    if (!playing) return;
    const { times } = record;
    seconds += 1e-3 * (now - last) * (inTime ? Number(element('speed').value) : 1);
    last = now;
    if (seconds > times[times.length - 1] + (inTime ? 0 : 0.5)) seconds = 0;
    const frame = record.frameAt(seconds);
    const long = frame + 1 < times.length ? times[frame + 1] - times[frame] : 1;
    show(frame, Math.min((seconds - times[frame]) / long, 1));
    requestAnimationFrame(tick);
  };
  const setPlaying = (value) => {
    playing = value && frames.length > 1;
    const name = playing ? 'Pause' : 'Play';
    element('play').setAttribute('aria-label', name);
    element('play').title = name + ' (Space)';
    element('play').classList.toggle('playing', playing);
    if (!playing) return;
    seconds = current >= frames.length - 1 ? 0 : record.times[current];
    last = performance.now();
    requestAnimationFrame(tick);
  };
  const goTo = (frame) => {
    setPlaying(false);
    show(Math.min(Math.max(frame, 0), frames.length - 1), 0);
  };
  panel.goTo = goTo;
  element('player').hidden = frames.length < 2;
  element('speed').hidden = !inTime;
  slider.max = frames.length - 1;
  slider.addEventListener('input', () => goTo(Number(slider.value)));
  showNumbers(0);
  panel.setSelected({});

  // --- the environment that is shown ------------------------------------------------------------------------------

  const chooser = element('environment');
  let isChanging = false;
  numbers.forEach((number, index) => chooser.add(new Option(number, index)));
  element('environments').hidden = element('environment_keys').hidden = numbers.length < 2;
  const change = async () => {
    if (isChanging) return;  // which goes on to the one that is chosen now
    isChanging = true;
    try {
      while (chooser.selectedIndex !== chosen) {
        const index = chooser.selectedIndex, next = await environments.record(index);
        if (picture) await picture.load(next);
        record = next;
        chosen = index;
        seconds = record.times[current];
        panel.use(record);
        showNumbers(current);
        show(current, 0);
      }
    } catch (error) {
      say('This environment cannot be shown: ' + error);
    }
    isChanging = false;
  };
  const goToEnvironment = (index) => {
    if (chooser.disabled || index < 0 || index >= numbers.length) return;
    chooser.selectedIndex = index;
    change();
  };
  chooser.addEventListener('change', change);
  const setReady = () => {
    chooser.disabled = false;
    window.ready = true;
  };

  // --- buttons and keys ------------------------------------------------------------------------------------------

  const look = (from) => {
    follow(null);
    if (picture) picture[from]();
  };
  const actions = {
    play: () => setPlaying(!playing),
    back: () => goTo(current - 1),
    forward: () => goTo(current + 1),
    reset: () => look('reset'),
    top: () => look('lookFromAbove'),
    follow: () => follow(isFollowing() ? null : bodyOf(selected)),
    first: () => goTo(0),
    last: () => goTo(frames.length - 1),
    environmentBefore: () => goToEnvironment(chooser.selectedIndex - 1),
    environmentAfter: () => goToEnvironment(chooser.selectedIndex + 1),
  };
  const keys = { ' ': 'play', ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last', r: 'reset',
    t: 'top', f: 'follow' };
  if (numbers.length > 1) Object.assign(keys, { PageUp: 'environmentBefore', PageDown: 'environmentAfter' });
  for (const id of Object.keys(actions)) if (element(id)) element(id).addEventListener('click', actions[id]);
  document.addEventListener('keydown', (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key, on = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || on.tagName === 'SELECT') return;
    if (key === ' ' && on.matches('button, input[type=checkbox]')) return;
    if (on === slider && /^(Arrow|Home|End|Page)/.test(key)) return;
    const box = /^[1-9]$/.test(key) ? element('show_body_' + (key - 1)) : null;
    if (!box && !keys[key]) return;
    event.preventDefault();
    if (box) box.click(); else actions[keys[key]]();
  });
  // so that Space plays after a button was clicked by a pointer
  document.addEventListener('click', (event) => {
    const clicked = event.target.closest('button, input[type=checkbox]');
    if (clicked && event.detail > 0) clicked.blur();
  });

  // --- the picture -----------------------------------------------------------------------------------------------

  let context = null;
  try {  // before three.js tries, which would print that it failed
    const options = { antialias: true, alpha: false, preserveDrawingBuffer: true };
    context = element('canvas').getContext('webgl', options);
  } catch (error) {
    context = null;
  }
  if (!context) {
    say('This browser has no WebGL, so only the numbers are shown.');
    setReady();
    return;
  }
  try {
    const loading = new Picture(facts, context, element('canvas'), select);
    await loading.load(record);
    picture = loading;
  } catch (error) {
    say('This picture cannot be shown: ' + error);
    setReady();
    return;
  }
  facts.bodies.forEach((name, body) => {
    panel.bodyMarks[body].style.background = picture.colorOf(body);
    element('show_body_' + body).addEventListener('change', (event) => {
      picture.setBodyShown(body, event.target.checked);
    });
  });
  element('show_patches').addEventListener('change', (event) => picture.setPatchesShown(event.target.checked));
  element('show_forces').addEventListener('change', (event) => picture.setForcesShown(event.target.checked));
  element('canvas').hidden = false;  // which was black
  show(current, 0);
  window.viewer = picture;
  setReady();
})();
