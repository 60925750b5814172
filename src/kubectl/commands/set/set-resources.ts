/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/set_resources.go. */
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { dryRunOf, selectorFlag } from "../../command/shared-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import {
  localNeedsFiles,
  podSpecOf,
  refuseLocalOnServer,
  selectContainers,
  setFlags,
  setOnAll,
  targetsOf,
} from "./set-objects.ts";

const flags = {
  ...setFlags,
  ...selectorFlag,
  containers: {
    type: "string",
    shorthand: "c",
    default: "*",
    help:
      "Names of the containers to change; may contain wildcards. The default is all " +
      "containers",
  },
  limits: { type: "string", help: "Limits of the containers, such as 'cpu=100m,memory=256Mi'" },
  requests: {
    type: "string",
    help:
      "Requests of the containers, such as 'cpu=100m,memory=256Mi'. The server may set " +
      "requests by itself, where a LimitRange says so for example",
  },
} satisfies FlagSet;

type ResourcesInvocation = Invocation<typeof flags>;

/** `kubectl set resources`. */
export const setResources = command({
  usage: "resources (-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]",
  flags,
  run,
});

async function run({ flags, args }: ResourcesInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const operation = "resource requirements updated";
  const printer = toPrinter(flags, context, { operation, dryRun, keepsOrder: true });
  if (flags.local && args.length > 0) throw new CommandError(localNeedsFiles);
  const infos = await targetsOf(flags, args, context);
  refuseLocalOnServer(flags.local, dryRun);
  if (flags.all && flags.selector !== "") {
    throw new CommandError("cannot set --all and --selector at the same time");
  }
  if (flags.limits === "" && flags.requests === "") {
    throw new CommandError(
      "you must specify an update to requests or limits (in the form of --requests/--limits)",
    );
  }
  const [limits, requests] = [parseList(flags.limits), parseList(flags.requests)];
  const setting = {
    context,
    printer,
    dryRun,
    local: flags.local,
    fieldManager: flags["field-manager"],
    record: flags.record,
    failure: "failed to patch resources update to pod template",
  };
  await setOnAll(setting, infos, (object, errors) => {
    const containers = selectContainers(podSpecOf(object), flags.containers);
    for (const container of containers) {
      const before = container.resources ?? {};
      container.resources = {
        ...before,
        ...(limits ? { limits: { ...before.limits, ...limits } } : {}),
        ...(requests ? { requests: { ...before.requests, ...requests } } : {}),
      };
    }
    if (containers.length > 0) return true;
    errors.push(new CommandError(`error: unable to find container named ${flags.containers}`));
    return false;
  });
}

function parseList(spec: string): Record<string, string> | undefined {
  if (spec === "") return undefined;
  const entries = spec.split(",").map((pair) => {
    const [resource = "", quantity, ...rest] = pair.split("=");
    if (quantity === undefined || rest.length > 0) {
      throw new CommandError(`invalid argument syntax ${pair}, expected <resource>=<value>`);
    }
    try {
      return [resource, parseQuantity(quantity).toString()] as const;
    } catch (error) {
      throw new CommandError(messageOf(error), { cause: error });
    }
  });
  return Object.fromEntries(entries);
}
