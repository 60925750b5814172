import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { webImage } from "../../test/e2e/machine.ts";
import { BenchCluster, image } from "../up/bench-cluster.ts";
import { podStart } from "../up/pod-starts.ts";
import { median, morePercent } from "./median.ts";

/** Pods that are started on each cluster, in turn. */
const starts = 25;

/** Starts of Pods on a cluster that records, and on one that does not. */
export async function podStartCost(folder: string): Promise<readonly string[]> {
  const archive = join(folder, "web.tar");
  await writeFile(archive, webImage(image));
  await using on = new BenchCluster(join(folder, "on.conf"), "bench-journey-on");
  const without = ["--kube-apiserver-arg=journey=false"];
  await using off = new BenchCluster(join(folder, "off.conf"), "bench-journey-off", without);
  for (const cluster of [on, off]) {
    await cluster.up();
    await cluster.k8ts("image", "load", "--name", cluster.name, archive);
  }
  const times: Readonly<Record<"on" | "off", number[]>> = { on: [], off: [] };
  for (let index = 0; index < starts; index++) {
    times.on.push((await podStart(on, index)).wholeMs);
    times.off.push((await podStart(off, index)).wholeMs);
  }
  const [onMs, offMs] = [median(times.on), median(times.off)];
  return [
    `Pod, bound to Running: on ${onMs.toFixed(0)} ms, off ${offMs.toFixed(0)} ms: ${morePercent(onMs, offMs)} more (median of ${starts})`,
  ];
}
