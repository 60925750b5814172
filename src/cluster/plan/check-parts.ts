import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import { ensureEncryption } from "../access/encryption-keys.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { clusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { writeWhole } from "../base/write-file.ts";
import { findResolvConf } from "../machine/resolv-conf.ts";
import { dutiesOf, enabledParts } from "../parts/enabled-parts.ts";
import { parts } from "../parts/index.ts";
import { kubeletDropIns } from "../parts/kubelet-config.ts";
import type { PartContext, PartProgram } from "../parts/part.ts";
import { argName, partStart } from "../parts/part-start.ts";

/** The flags of `up` for flags of parts that the cluster sets itself, from the same setting in several places. */
const ownFlags: Readonly<Record<string, string>> = {
  "secure-port": "--secure-port",
  "advertise-address": "--node-ip",
  "node-ip": "--node-ip",
  "hostname-override": "--node-name",
  "service-cluster-ip-range": "--service-cidr",
  "cluster-cidr": "--pod-network-cidr",
  "proxy-mode": "--proxy-mode",
};

/** Rejects if the user's flags and documents would keep a part from starting. Changes nothing. */
export async function checkParts(settings: ClusterSettings): Promise<void> {
  const { partArgs = {}, documents = {} } = settings;
  const named = [...Object.keys(partArgs), ...Object.keys(documents)];
  if (named.length === 0) return;
  const folder = await mkdtemp(join(tmpdir(), "k8ts-check-"));
  try {
    const paths = clusterPaths(folder);
    await mkdir(kubeletDropIns(paths), { recursive: true });
    // The API server reads it; that of the cluster may not be there yet.
    const keys = { hasStore: false, now: systemClock.now() };
    if (settings.encryptsSecrets) await ensureEncryption(paths.pki, keys);
    const context = { paths, settings, resolvConf: findResolvConf() };
    const problems = await partProblems(context);
    if (problems.length > 0) {
      throw new CommandFailure(["these settings can't be used:", ...problems].join("\n  - "));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function partProblems(context: PartContext): Promise<string[]> {
  const problems: string[] = [];
  for (const program of ["server", "agent"] as const satisfies readonly PartProgram[]) {
    for (const { name, duty } of dutiesOf(program, enabledParts(context.settings))) {
      const given = context.settings.partArgs?.[name] ?? [];
      const usesDocument = duty.documents?.some(({ kind }) => context.settings.documents?.[kind]);
      if (given.length === 0 && !usesDocument) continue;
      const refused = refusedArgs(name, given, duty.flags(context), context);
      problems.push(...refused);
      if (refused.length > 0) continue;
      const start = partStart(name, duty, context);
      for (const { path, text } of start.files) {
        await mkdir(dirname(path), { recursive: true });
        await writeWhole(path, text);
      }
      const problem = await checkProblem(name, start.args);
      if (problem !== undefined) problems.push(problem.replaceAll(`${context.paths.config}/`, ""));
    }
  }
  return problems;
}

/** Flags that only the cluster may set: other parts and clients rely on them. */
function refusedArgs(
  part: string,
  given: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  { paths }: PartContext,
): string[] {
  return given.flatMap((arg) => {
    const shown = `--${part}-arg=${arg}`;
    if (!/^[a-z][a-zA-Z0-9-]*=/.test(arg)) return [`${shown} must be NAME=VALUE, without dashes`];
    const name = argName(arg);
    if (!Object.hasOwn(flags, name)) return [];
    const instead = ownFlags[name];
    if (instead) return [`${shown} can't be used: set it with ${instead}`];
    const isOwnFile = String(flags[name]).startsWith(`${paths.folder}/`);
    return isOwnFile ? [`${shown} can't be used: the cluster has a file of its own there`] : [];
  });
}

async function checkProblem(name: string, args: readonly string[]): Promise<string | undefined> {
  const part = parts.find((candidate) => candidate.name === name);
  const module = await part?.load();
  return module?.check(args).then(
    () => undefined,
    (error: Error) => `${name}: ${error.message}`,
  );
}
