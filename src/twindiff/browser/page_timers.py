"""What a page has scheduled without a request: an error may still appear by a timer or an animation."""

from __future__ import annotations

MAX_DELAY_SECONDS = 5.0
"""The longest delay that an absence waits for; a page that shows a text later is not waited for."""
OVERDUE_SECONDS = 0.001
_NAME = "Symbol.for('twindiff.timers')"
RECORD_TIMERS = rf"""(() => {{
  const due = new Map(), now = () => performance.now();
  Object.defineProperty(window, {_NAME}, {{value: due}});
  const wrap = (name, clear) => {{
    const schedule = window[name], cancel = window[clear];
    window[name] = function (callback, delay, ...rest) {{
      const run = typeof callback !== 'function' ? callback : function (...given) {{
        try {{ return callback.apply(this, given); }} finally {{ due.delete(id); }}
      }};
      const id = schedule.call(this, run, delay, ...rest);
      if (typeof callback === 'function') due.set(id, now() + Math.max(0, Number(delay) || 0));
      return id;
    }};
    window[clear] = function (id) {{ due.delete(Number(id)); return cancel.call(this, id); }};
  }};
  wrap('setTimeout', 'clearTimeout');
  wrap('setInterval', 'clearInterval');
}})()"""
"""Runs in each frame before its own scripts. An interval is recorded until it has run once."""
PENDING_SECONDS = rf"""limit => {{
  const timers = window[{_NAME}] || new Map();
  const due = [...timers.values()].map(each => each - performance.now());
  const drawn = document.getAnimations().filter(each => each.playState === 'running' && each.effect)
    .map(each => each.effect.getComputedTiming().endTime - (each.currentTime || 0));
  const waits = [...due.map(each => Math.max(each, {OVERDUE_SECONDS} * 1000)), ...drawn];
  return [Math.max(0, ...waits.filter(each => each <= limit * 1000)) / 1000, Math.max(0, ...timers.keys())];
}}"""
"""The seconds until all that a frame has scheduled within a limit has run, OVERDUE_SECONDS for what should have run,
and the id of its newest timer; an endless animation is not waited for.
"""
