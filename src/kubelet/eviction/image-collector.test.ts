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

test("removeUnused() keeps the sandbox's image though the runtime does not pin it", async () => {
  const removed: string[] = [];
  const cri = {
    images: {
      ListImages: async () => ({
        images: [image("1", "local/pause:1"), image("2", "old:1"), image("3", "pin:1", true)],
      }),
      RemoveImage: async ({ image: { image: id } }: { image: { image: string } }) =>
        void removed.push(id),
    },
    runtime: {
      Status: async () => ({ info: { config: '{"sandboxImage":"local/pause:1"}' } }),
    },
  } as unknown as Cri;
  const collector = new ImageCollector({
    cri,
    clock: new FakeClock(),
    pods: { allObserved: () => [], pods: () => [] },
    rootDirectory: "/",
    policy: { highPercent: 85, lowPercent: 80, minAgeMs: 0, maxAgeMs: 0 },
    events: { record: () => undefined },
  });
  await collector.removeUnused();
  assert.deepEqual(removed, ["2"]);
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
