import assert from "node:assert/strict";
import { test } from "node:test";
import { fitMap, openMap, zoomAt } from "./map-view.ts";

test("zoomAt() keeps the point under the pointer, fitMap() shows everything", () => {
  const view = zoomAt({ x: 100, y: 50, scale: 1 }, 2, { x: 40, y: 20 });
  assert.deepEqual(view, { scale: 2, x: 120, y: 60 });
  assert.equal(zoomAt(view, 1000, { x: 0, y: 0 }).scale, 2.5);
  assert.deepEqual(fitMap({ width: 10_000, height: 100 }, { width: 1048, height: 600 }).scale, 0.1);
});

test("openMap() begins a map that is only wide where its names can be read", () => {
  const window = { width: 390, height: 700 };
  assert.deepEqual(openMap({ width: 2_000, height: 60 }, window), { x: -40, y: -40, scale: 0.6 });
  assert.deepEqual(openMap({ width: 200, height: 60 }, window).scale, 1);
  assert.deepEqual(
    openMap({ width: 2_000, height: 4_000 }, window),
    fitMap({ width: 2_000, height: 4_000 }, window),
  );
});
