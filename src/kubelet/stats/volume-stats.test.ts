import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { DiskUsage } from "./disk-usage.ts";
import { VolumeStats, volumeMetrics } from "./volume-stats.ts";

test("VolumeStats measures volumes, and not again before its period is over", async () => {
  const clock = new FakeClock();
  let looks = 0;
  const disk = new DiskUsage({
    clock,
    run: async (_program, args) => {
      looks += 1;
      return args.includes("--inodes") ? "3\t/\n" : "4096\t/\n";
    },
  });
  const stats = new VolumeStats({ clock, disk, maxAgeMs: 60_000, path: () => "/" });
  const pod = {
    metadata: { uid: "u", namespace: "n" },
    spec: {
      containers: [],
      volumes: [
        { name: "e", emptyDir: {} },
        { name: "h", hostPath: { path: "/" } },
        { name: "p", persistentVolumeClaim: { claimName: "c" } },
      ],
    },
  };
  assert.deepEqual(stats.get(pod), []);
  const found = await until("the volumes are measured", () => {
    const now = stats.get(pod);
    return now.length > 0 && now;
  });
  assert.deepEqual(
    found.map(({ name, pvcRef }) => [name, pvcRef?.name]),
    [
      ["e", undefined],
      ["p", "c"],
    ],
  );
  assert.deepEqual([found[0]?.usedBytes, found[0]?.inodesUsed, looks], [4096, 3, 2]);
  stats.get(pod);
  assert.equal(looks, 2);
  await clock.advance(60_000);
  assert.equal(stats.get(pod), found);
  await until("the volumes are measured again", () => looks === 4);
  assert.match(
    volumeMetrics(found),
    /kubelet_volume_stats_inodes\{namespace="n",persistentvolumeclaim="c"\} \d+\n/,
  );
});
