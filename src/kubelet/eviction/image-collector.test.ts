import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { Cri } from "../cri/runtime-service.ts";
import { ImageCollector } from "./image-collector.ts";
import { sandboxImages } from "./sandbox-images.ts";

const image = (id: string, tag: string, pinned = false) => ({
  id,
  size: 10,
  pinned,
  repoDigests: [],
  repoTags: [tag],
});

/** A collector on a runtime with these images; those in `broken` can't be removed. */
function collectorOf(images: ReturnType<typeof image>[], minAgeMs = 0, broken: string[] = []) {
  const removed: string[] = [];
  const clock = new FakeClock();
  const cri = {
    images: {
      ListImages: async () => ({ images }),
      RemoveImage: async ({ image: { image: id } }: { image: { image: string } }) => {
        if (broken.includes(id)) throw new Error(`${id} is busy`);
        removed.push(id);
      },
    },
    runtime: {
      Status: async () => ({ info: { config: '{"sandboxImage":"local/pause:1"}' } }),
    },
  } as unknown as Cri;
  const collector = new ImageCollector({
    cri,
    clock,
    pods: { allObserved: () => [], pods: () => [] },
    rootDirectory: "/",
    policy: { highPercent: 85, lowPercent: 80, minAgeMs, maxAgeMs: 0 },
    events: { record: () => undefined },
  });
  return { collector, clock, removed };
}

test("removeUnused() keeps the sandbox's image though the runtime does not pin it", async () => {
  const images = [image("1", "local/pause:1"), image("2", "old:1"), image("3", "pin:1", true)];
  const { collector, removed } = collectorOf(images);
  await collector.removeUnused();
  assert.deepEqual(removed, ["2"]);
});

test("removeUnused() keeps an image that was just pulled, until it has the minimum age", async () => {
  const images = [image("1", "old:1")];
  const { collector, clock, removed } = collectorOf(images, 120_000);
  await collector.detect();
  images.push(image("2", "new:1"));
  await collector.removeUnused();
  assert.deepEqual(removed, ["1"]);
  images.shift();
  await clock.advance(120_000);
  await collector.removeUnused();
  assert.deepEqual(removed, ["1", "2"]);
});

test("removeUnused() removes the other images if one can't be removed, then reports it", async () => {
  const images = ["1", "2", "3"].map((id) => image(id, `${id}:1`));
  const { collector, removed } = collectorOf(images, 0, ["2"]);
  await assert.rejects(collector.removeUnused(), /2 is busy/);
  assert.deepEqual(removed, ["1", "3"]);
});

test("sandboxImages() reads the configuration of any runtime", () => {
  const cases: [string | undefined, string[]][] = [
    ['{"sandboxImage":"a:1"}', ["a:1"]],
    ['{"sandboxImage":""}', []],
    ['{"containerd":{}}', []],
    ["no JSON", []],
    ["null", []],
    [undefined, []],
  ];
  for (const [config, names] of cases) assert.deepEqual(sandboxImages(config), names);
});
