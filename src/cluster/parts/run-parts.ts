import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { aborted } from "#/std/async/aborted.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { writeIfChanged } from "../base/write-file.ts";
import { endpointOf } from "../runtimes/own-runtime.ts";
import { cleanUpDisabled } from "./clean-up-disabled.ts";
import { disabledParts, dutiesOf, enabledParts, partStarts } from "./enabled-parts.ts";
import type {
  CleanUpContext,
  Duty,
  PartContext,
  PartProgram,
  ProgramContexts,
  ServerContext,
} from "./part.ts";
import type { Component } from "./run-components.ts";

/** Writes the files of a program's parts; returns them as components, with the clean-up of newly disabled parts. */
export async function partComponents<Name extends PartProgram>(
  program: Name,
  context: PartContext,
  programContext: ProgramContexts[Name],
): Promise<Component[]> {
  const starts = partStarts(program, context);
  for (const { path, text } of starts.flatMap(({ files }) => files)) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeIfChanged(path, text);
  }
  const duties = dutiesOf(program, enabledParts(context.settings));
  const running = duties.map(({ name, duty }, index) => ({
    name,
    restarts: duty.endsProgram !== true,
    run: (signal: AbortSignal) => runDuty(duty, starts[index]?.args ?? [], signal, programContext),
  }));
  const disabled = dutiesOf(program, disabledParts(context.settings));
  const tidying = async (signal: AbortSignal) => {
    const { paths, settings } = context;
    await cleanUpDisabled(program, paths, settings, async (name) => {
      const found = disabled.find((one) => one.name === name);
      await found?.duty.cleanUp?.(
        cleanUpContext(paths, settings, disabledEnd),
        signal,
        programContext,
      );
    });
    await aborted(signal);
  };
  return [...running, { name: "disabled parts", run: tidying }];
}

/** Runs a part, or waits with it until this server leads. */
function runDuty<ProgramContext>(
  duty: Duty<ProgramContext>,
  args: readonly string[],
  signal: AbortSignal,
  programContext: ProgramContext,
): Promise<void> {
  const { whileLeading } = (programContext ?? {}) as Partial<ServerContext>;
  if (!duty.onLeader || !whileLeading) return duty.run(args, signal, programContext);
  return whileLeading(
    (leading, connect) =>
      duty.run(args, leading, { ...programContext, connected: async () => connect }),
    signal,
  );
}

/** Clean-up options when a node is stopped. */
type NodeEnd = Pick<CleanUpContext, "maxGraceSeconds" | "isFinal">;

/** Clean-up options of a disabled part. */
const disabledEnd: NodeEnd = { maxGraceSeconds: 0, isFinal: true };

/**
 * Cleans up all parts of a node when it is taken down. A part that fails doesn't keep the others from being
 * cleaned up.
 */
export async function cleanUpNode(
  paths: ClusterPaths,
  settings: ClusterSettings,
  end: NodeEnd,
  signal: AbortSignal,
): Promise<void> {
  const failures: string[] = [];
  for (const { duty } of dutiesOf("agent", enabledParts(settings))) {
    await duty
      .cleanUp?.(cleanUpContext(paths, settings, end), signal, undefined)
      .catch((error: Error) => failures.push(error.message));
  }
  if (failures.length > 0) throw new Error(failures.join("; "));
}

const cleanUpContext = (
  paths: ClusterPaths,
  settings: ClusterSettings,
  end: NodeEnd,
): CleanUpContext => ({
  paths,
  runtimeEndpoint: endpointOf(paths, settings),
  ...end,
});
