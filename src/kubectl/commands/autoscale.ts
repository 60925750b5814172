/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/autoscale/autoscale.go. */

import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { formatShortest } from "#/std/go/float.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import { typedForm } from "../base/typed-form.ts";
import type { Unstructured } from "../base/unstructured.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { updateLastApplied } from "../command/last-applied.ts";
import { recordChange } from "../command/record-change.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  filenameFlags,
  recordFlag,
  saveConfigFlag,
} from "../command/shared-flags.ts";
import { type DryRun, printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";
import { createTyped } from "./create/create-typed.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...dryRunFlag,
  ...saveConfigFlag,
  ...fieldManagerFlag("kubectl-autoscale"),
  ...recordFlag,
  min: {
    type: "int32",
    default: -1,
    help:
      "Lowest number of Pods that the autoscaler may set. If it is not given, or negative, " +
      "the server applies a default",
  },
  max: {
    type: "int32",
    default: -1,
    help: "Highest number of Pods that the autoscaler may set. Required",
  },
  "cpu-percent": {
    type: "int32",
    default: -1,
    help: "Target for the average CPU of all Pods, in percent of what they request",
    deprecated:
      "Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).",
  },
  cpu: {
    type: "string",
    help:
      'Target for the CPU of all Pods. A percentage ("70%" of the requested CPU) is a ' +
      'target for the average utilization, a quantity ("500m") one for the average value. A ' +
      'number without a unit means millicores: "500" is "500m"',
  },
  memory: {
    type: "string",
    help:
      'Target for the memory of all Pods. A percentage ("60%" of the requested memory) is a ' +
      'target for the average utilization, a quantity ("200Mi", "1Gi") one for the average ' +
      'value. A number without a unit means mebibytes: "200" is "200Mi"',
  },
  name: { type: "string", help: "Name of the autoscaler; default the name of the object" },
} satisfies FlagSet;

type AutoscaleInvocation = Invocation<typeof flags>;

/** `kubectl autoscale`. */
export const autoscale = command({
  usage:
    "autoscale (-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]",
  flags,
  completes: {
    of: "resources",
    types: ["deployment", "replicaset", "replicationcontroller", "statefulset"],
  },
  requiredFlags: ["max"],
  run,
});

async function run({ flags, args }: AutoscaleInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const chosen = await context.cluster.namespace();
  const { namespace, explicit } = chosen;
  validate(flags);
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    args,
    continueOnError: true,
    flatten: true,
  });
  let count = 0;
  await builder.visit(async (info) => {
    const { mapping } = info;
    if (!mapping.subresources.some(({ name }) => name === "scale")) {
      throw new CommandError(
        `cannot autoscale a ${mapping.kind}: could not find scale subresource for ${apiVersionSlash(mapping)}, Resource=${mapping.name} in discovery information`,
      );
    }
    const object = autoscaler(flags, info, explicit ? namespace : "");
    await createAutoscaler({ flags, dryRun, namespace }, object, context);
    count++;
  });
  if (count === 0) throw new CommandError("no objects passed to autoscale");
}

const apiVersionSlash = ({ group, version }: { group: string; version: string }): string =>
  `${group}/${version}`;

interface Creating {
  readonly flags: AutoscaleInvocation["flags"];
  readonly dryRun: DryRun;
  readonly namespace: string;
}

async function createAutoscaler(
  { flags, dryRun, namespace }: Creating,
  given: Unstructured,
  context: Context,
): Promise<void> {
  const typed = typedForm(recordChange(given, flags, context));
  const isLocal = dryRun === "client";
  const operation = isLocal ? "created" : "autoscaled";
  const printer = toPrinter(flags, context, { operation, dryRun, keepsOrder: true });
  if (isLocal) return printer.print(typed, context.out);
  const object = updateLastApplied(typed, { create: flags["save-config"], typed: true });
  const query = {
    dryRun: dryRun === "server" ? "All" : undefined,
    fieldManager: flags["field-manager"],
  };
  printer.print(await createTyped(context, object, namespace, query), context.out);
}

function autoscaler(
  flags: AutoscaleInvocation["flags"],
  { name, mapping }: ResourceInfo,
  namespace: string,
): Unstructured {
  const metrics = [
    ...(flags["cpu-percent"] > 0
      ? [metric("cpu", { type: "Utilization", averageUtilization: flags["cpu-percent"] })]
      : []),
    ...(flags.cpu === "" ? [] : [metric("cpu", target(flags.cpu, "cpu"))]),
    ...(flags.memory === "" ? [] : [metric("memory", target(flags.memory, "memory"))]),
  ];
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: flags.name || name, ...(namespace === "" ? {} : { namespace }) },
    spec: {
      scaleTargetRef: { kind: mapping.kind, name, apiVersion: apiVersionOf(mapping) },
      ...(flags.min > 0 ? { minReplicas: flags.min } : {}),
      maxReplicas: flags.max,
      ...(metrics.length > 0 ? { metrics } : {}),
    },
  };
}

function metric(name: string, wanted: object): object {
  return { type: "Resource", resource: { name, target: wanted } };
}

function validate(flags: AutoscaleInvocation["flags"]): void {
  const { min, max } = flags;
  if (max < 1)
    throw new CommandError(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
  if (max < min) {
    throw new CommandError(
      `--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`,
    );
  }
  if (flags["cpu-percent"] > 0 && flags.cpu !== "") {
    throw new CommandError("--cpu-percent and --cpu are mutually exclusive");
  }
  if (flags.cpu !== "") target(flags.cpu, "cpu");
  if (flags.memory !== "") target(flags.memory, "memory");
}

/** The target of a percentage or quantity; a plain number is in milliCPU or mebibytes. */
function target(given: string, resource: "cpu" | "memory"): object {
  const text = given.trim();
  if (text === "") throw new CommandError("empty input");
  if (text.endsWith("%")) {
    const number = text.slice(0, -1);
    if (!/^\+?\d+$/.test(number)) throw new CommandError(`invalid percentage value: ${number}`);
    return { type: "Utilization", averageUtilization: Number(number) };
  }
  const isNumber = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text);
  try {
    const quantity = isNumber
      ? `${formatShortest(Number(text))}${resource === "cpu" ? "m" : "Mi"}`
      : text;
    return { type: "AverageValue", averageValue: parseQuantity(quantity).toString() };
  } catch (error) {
    throw new CommandError(
      isNumber ? messageOf(error) : `invalid resource ${resource} value: ${text}`,
      { cause: error },
    );
  }
}
