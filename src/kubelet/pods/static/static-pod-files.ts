/** Upstream: pkg/kubelet/config/file.go, pkg/kubelet/config/common.go. */
import { createHash } from "node:crypto";
import { watch } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "#/api/core/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { logger } from "#/std/log/log.ts";
import { parseYaml } from "#/std/text/yaml.ts";
import type { Clock } from "#/std/time/clock.ts";
import { hashAnnotation, seenAnnotation, sourceAnnotation } from "../../state/static-pods.ts";
import { setPodDefaults } from "./pod-defaults.ts";

const log = logger("kubelet");

/** Delay after a change until the directory is read (ms): changes arrive in bursts. */
const quietMs = 100;

interface StaticPodFilesOptions {
  /** A file, or a directory with files. */
  readonly path: string;
  readonly nodeName: string;
  readonly clock: Clock;
  /** Interval of reading it without a reported change (ms). */
  readonly everyMs: number;
  /** Called with all current static pods. */
  changed(pods: readonly Pod[]): void;
}

/** Reads static pods now and whenever they change, until the signal aborts. */
export async function followStaticPodFiles(
  options: StaticPodFilesOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, everyMs } = options;
  let wake = (): void => undefined;
  const watcher = openWatcher(options.path, () => wake());
  try {
    while (!signal.aborted) {
      options.changed(await readStaticPods(options));
      const touched = new AbortController();
      wake = () => touched.abort();
      await clock.sleep(everyMs, AbortSignal.any([signal, touched.signal])).catch(() => undefined);
      if (touched.signal.aborted) await clock.sleep(quietMs, signal).catch(() => undefined);
    }
  } finally {
    watcher?.close();
  }
}

function openWatcher(path: string, changed: () => void): { close(): void } | undefined {
  try {
    return watch(path, { persistent: false }, changed).on("error", () => undefined);
  } catch {
    return undefined;
  }
}

/** The pods of a file or directory; a file that can't be read is left out and logged. */
async function readStaticPods(
  options: Pick<StaticPodFilesOptions, "path" | "nodeName" | "clock">,
): Promise<readonly Pod[]> {
  const pods: Pod[] = [];
  for (const file of await filesAt(options.path)) {
    try {
      pods.push(staticPod(parseYaml(await readFile(file, "utf8")), file, options));
    } catch (error) {
      log.error(error, "Could not process manifest file", { path: file });
    }
  }
  return pods;
}

async function filesAt(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.name.startsWith(".") && !entry.isDirectory());
    return files.map(({ name }) => join(path, name)).sort();
  } catch (error) {
    log.error(error, "Unable to read config path", { path });
    return [];
  }
}

function staticPod(
  value: unknown,
  file: string,
  { nodeName, clock }: Pick<StaticPodFilesOptions, "nodeName" | "clock">,
): Pod {
  const given = value as Pod;
  if (given?.kind !== "Pod" || given.apiVersion !== "v1") {
    throw new Error(`${file}: couldn't parse as pod, please check config file`);
  }
  if (!given.metadata?.name) throw new Error("invalid pod: name is needed for the pod");
  const pod = deepCopy(given);
  const hash = createHash("md5").update(JSON.stringify(given));
  const uid = given.metadata.uid ?? hash.update(`host:${nodeName}file:${file}`).digest("hex");
  const { name, namespace = "default", annotations, ...metadata } = pod.metadata;
  setPodDefaults(pod.spec);
  const tolerations = [
    ...(pod.spec.tolerations ?? []),
    { operator: "Exists" as const, effect: "NoExecute" as const },
  ];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name: `${name}-${nodeName.toLowerCase()}`,
      namespace,
      uid,
      annotations: {
        ...annotations,
        [sourceAnnotation]: "file",
        [hashAnnotation]: uid,
        [seenAnnotation]: new Date(clock.now()).toISOString(),
      },
    },
    spec: { ...pod.spec, nodeName, tolerations },
    status: { phase: "Pending" },
  };
}
