/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go (Complete, RunCordonOrUncordon),
 * staging/src/k8s.io/kubectl/pkg/drain/cordon.go.
 */
import { nodes } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf, usageError } from "../../base/errors.ts";
import { fieldAt, type Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { namePrinter } from "../../printers/json-printer.ts";
import { type DryRun, operationText } from "../../printers/print-flags.ts";
import { ResourceBuilder } from "../../resource/builder.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";

interface NodeChoice {
  readonly args: readonly string[];
  readonly selector: string;
  readonly hasSelector: boolean;
  /** `cordon NODE`. */
  readonly usage: string;
  readonly chunkSize?: number;
}

/** Rejects command lines without nodes, or with both names and a selector. */
export function checkChoice(
  { args, selector, hasSelector, usage }: NodeChoice,
  context: Context,
): void {
  if (args.length === 0 && !hasSelector) throw usageError(context, `USAGE: ${usage} [flags]`);
  if (args.length > 0 && selector !== "") {
    throw usageError(context, "error: cannot specify both a node name and a --selector option");
  }
}

/** The nodes that a command line names. */
export async function chooseNodes(choice: NodeChoice, context: Context): Promise<ResourceInfo[]> {
  const { namespace } = await context.cluster.namespace();
  const builder = new ResourceBuilder(context, {
    namespace,
    flatten: true,
    singleResourceType: true,
    ...(choice.chunkSize === undefined ? {} : { chunkSize: choice.chunkSize }),
    ...(choice.selector === ""
      ? { resourceNames: { type: "nodes", names: choice.args } }
      : { types: ["nodes"], selector: choice.selector }),
  });
  const infos: ResourceInfo[] = [];
  await builder.visit((info) => {
    const { group, version, name } = info.mapping;
    if (group !== "" || name !== "nodes") {
      const shown = `${group}/${version}, Resource=${name}`;
      throw new CommandError(`error: expected resource of type node, got ${goQuote(shown)}`);
    }
    infos.push(info);
  });
  return infos;
}

/** Prints the operation on an object. */
export function say(context: Context, object: unknown, operation: string, dryRun: DryRun): void {
  namePrinter(operationText(operation, dryRun)).print(object as Unstructured, context.out);
}

/** Makes nodes unschedulable, or schedulable again. */
export async function setUnschedulable(
  infos: readonly ResourceInfo[],
  wanted: boolean,
  dryRun: DryRun,
  context: Context,
): Promise<void> {
  const verb = wanted ? "cordon" : "uncordon";
  const client = await context.cluster.client();
  for (const { name, object = {} } of infos) {
    if ((fieldAt(object, "spec", "unschedulable") ?? false) === wanted) {
      say(context, object, `already ${verb}ed`, dryRun);
      continue;
    }
    try {
      const patch = { spec: { unschedulable: wanted || null } };
      if (dryRun !== "client") {
        await client.patch(nodes, { name }, patch, {
          type: "strategic",
          dryRun: dryRun === "server",
        });
      }
    } catch (error) {
      context.err.write(`error: unable to ${verb} node ${goQuote(name)}: ${messageOf(error)}\n`);
      continue;
    }
    say(context, object, `${verb}ed`, dryRun);
  }
}
