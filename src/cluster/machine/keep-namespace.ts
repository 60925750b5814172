import { logger } from "#/std/log/log.ts";
import { monitorCommands, removalsOf } from "#/std/netfilter/removals.ts";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { recorderOf } from "./host-changes.ts";
import { keepNamespaceRules } from "./keep-namespace-rules.ts";
import { NamespaceRules } from "./namespace-rules.ts";
import { namespaceFile, namespaceOf } from "./network-namespace.ts";

const log = logger("cluster");

/** Keeps the packet rules of a cluster's namespace in the machine's network, which the agent is not in. */
export async function keepNamespace(settings: ClusterSettings, signal: AbortSignal): Promise<void> {
  const plan = namespaceOf(settings);
  const enter = ["nsenter", `--net=${namespaceFile(plan.machine)}`];
  const [program = "", ...first] = enter;
  const run: RunProgram = (inside, args, input) =>
    runProgram(program, [...first, inside, ...args], input);
  const followRemovals = removalsOf(monitorCommands.map((command) => [...enter, ...command]));
  const rules = new NamespaceRules(plan, { run, log, record: recorderOf(settings.name) });
  await keepNamespaceRules(rules, { clock: systemClock, followRemovals }, signal);
}
