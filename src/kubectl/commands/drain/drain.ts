/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go. */
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, Errors, messageOf, PlainError } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { chunkSizeFlag, dryRunFlag, dryRunOf, selectorFlag } from "../../command/shared-flags.ts";
import { type Draining, deletePods, evictPods } from "./evict.ts";
import { checkChoice, chooseNodes, say, setUnschedulable } from "./nodes.ts";
import { type EvictionRules, podsToEvict } from "./pods-to-evict.ts";

const flags = {
  ...chunkSizeFlag,
  ...dryRunFlag,
  ...selectorFlag,
  force: { type: "bool", help: "Remove Pods that have no controller, too" },
  "ignore-daemonsets": {
    type: "bool",
    help: "Go on although there are Pods of DaemonSets; they stay",
  },
  "delete-emptydir-data": {
    type: "bool",
    help: "Remove Pods that use emptyDir volumes, too; the data in them is lost",
  },
  "grace-period": {
    type: "int",
    default: -1,
    help:
      "Seconds that each Pod gets to end gracefully. If negative, the value of the Pod is " +
      "used",
  },
  timeout: {
    type: "duration",
    help: "How long to wait before giving up; zero means without limit",
  },
  "pod-selector": { type: "string", help: "Only the Pods of the node with these labels" },
  "disable-eviction": {
    type: "bool",
    help:
      "Delete Pods instead of evicting them, even where the server supports eviction. This " +
      "bypasses disruption budgets; use it with care",
  },
  "skip-wait-for-delete-timeout": {
    type: "int",
    help:
      "Do not wait for Pods whose DeletionTimestamp is older than this number of seconds. " +
      "It must be greater than 0 to have an effect",
  },
} satisfies FlagSet;

type DrainInvocation = Invocation<typeof flags>;

/** `kubectl drain`. */
export const drain = command({
  usage: "drain NODE",
  flags,
  completes: { of: "names", type: "nodes", once: true },
  run,
});

async function run({ flags, args, changed }: DrainInvocation, context: Context): Promise<void> {
  const choice = {
    args,
    selector: flags.selector,
    hasSelector: changed.has("selector"),
    usage: "drain NODE",
    chunkSize: flags["chunk-size"],
  };
  checkChoice(choice, context);
  const dryRun = dryRunOf(flags["dry-run"], context);
  checkPodSelector(flags["pod-selector"]);
  const infos = await chooseNodes(choice, context);
  await setUnschedulable(infos, true, dryRun, context);
  const errors: unknown[] = [];
  const remaining: string[] = [];
  const draining: Draining = {
    context,
    dryRun,
    gracePeriodSeconds: flags["grace-period"],
    timeoutMs: flags.timeout,
    skipDeletedSeconds: flags["skip-wait-for-delete-timeout"],
  };
  for (const { name, object = {} } of infos) {
    try {
      await drainNode(draining, name, flags);
      say(context, object, "drained", dryRun);
    } catch (error) {
      const message = messageOf(error);
      context.err.write(
        `error: unable to drain node ${goQuote(name)} due to error: ${message}, continuing command...\n`,
      );
      errors.push(error instanceof Errors ? error : new PlainError(message));
      remaining.push(name);
    }
  }
  if (remaining.length === 0) return;
  context.err.write(
    `There are pending nodes to be drained:\n${remaining.map((name) => ` ${name}\n`).join("")}`,
  );
  const [first] = errors;
  throw errors.length === 1 && first instanceof Errors ? first : new Errors(errors);
}

function checkPodSelector(text: string): void {
  try {
    parseSelector(text);
  } catch {
    throw new CommandError("--pod-selector=<pod_selector> must be a valid label selector");
  }
}

async function drainNode(
  draining: Draining,
  node: string,
  flags: DrainInvocation["flags"],
): Promise<void> {
  const { context, dryRun } = draining;
  const rules: EvictionRules = {
    force: flags.force,
    ignoreDaemonSets: flags["ignore-daemonsets"],
    deleteEmptyDirData: flags["delete-emptydir-data"],
    podSelector: flags["pod-selector"],
    chunkSize: flags["chunk-size"],
    skipDeletedSeconds: draining.skipDeletedSeconds,
  };
  const { pods, warnings } = await podsToEvict(context, node, rules);
  if (warnings !== "") context.err.write(`Warning: ${warnings}\n`);
  if (dryRun === "client") {
    for (const { metadata } of pods) {
      context.out.write(`evicting pod ${metadata?.namespace}/${metadata?.name} (dry run)\n`);
    }
    return;
  }
  try {
    await (flags["disable-eviction"] ? deletePods : evictPods)(draining, pods);
  } catch (error) {
    await tellPending(draining, node, rules, error);
    throw error;
  }
}

async function tellPending(
  { context }: Draining,
  node: string,
  rules: EvictionRules,
  cause: unknown,
): Promise<void> {
  try {
    const { pods } = await podsToEvict(context, node, rules);
    if (pods.length === 0) return;
    context.err.write(
      `There are pending pods in node ${goQuote(node)} when an error occurred: ${messageOf(cause)}\n`,
    );
    for (const { metadata } of pods) context.err.write(`pod/${metadata?.name}\n`);
  } catch (error) {
    context.err.write(
      `Following errors occurred while getting the list of pods to delete:\n${messageOf(error)}`,
    );
  }
}
