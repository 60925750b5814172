/** Upstream: staging/src/k8s.io/kubectl/pkg/explain/explain.go. */
import type { JsonPathNode } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parseTemplate } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { CommandError, PlainError } from "../../base/errors.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import type { RestMapper } from "../../discovery/rest-mapper.ts";

/** A resource and the field to explain. */
export interface ExplainedResource {
  readonly mapping: Mapping;
  readonly fields: readonly string[];
}

/**
 * Parses `deployments.spec.replicas`. If several groups have a resource of that name, `events.events.k8s.io` may
 * name one of them (matchGroups).
 */
export async function parseExplained(
  mapper: RestMapper,
  argument: string,
  { matchGroups }: { readonly matchGroups: boolean },
): Promise<ExplainedResource> {
  if (argument === "") throw new CommandError("a resource must be present, got: /, Resource=");
  const [first, ...rest] = parseSteps(argument);
  if (first?.type !== "field") throw notAField();
  const candidates = await mapper.allFor(first.name);
  const [preferred] = candidates;
  if (!preferred) {
    throw new PlainError(`the server doesn't have a resource type ${JSON.stringify(first.name)}`);
  }
  const wanted = matchGroups
    ? candidates.find((each) => argument.startsWith(groupResourceText(each)))
    : undefined;
  if (!wanted) return { mapping: preferred, fields: fieldNames(rest) };
  const suffix = argument.slice(groupResourceText(wanted).length);
  return { mapping: wanted, fields: fieldNames(suffix === "" ? [] : suffixSteps(suffix)) };
}

function groupResourceText({ name, group }: Mapping): string {
  return group === "" ? name : `${name}.${group}`;
}

function parseSteps(text: string): readonly JsonPathNode[] {
  const [part] = parseTemplate(`{.${text.replace(/\.$/, "")}}`);
  return part?.type === "path" ? part.path : [];
}

/** The steps after the resource name: upstream reads `.spec` as `..spec`, of which the first step is dropped. */
function suffixSteps(suffix: string): readonly JsonPathNode[] {
  const steps = parseSteps(suffix);
  return suffix.startsWith(".") ? steps.slice(1) : steps;
}

function fieldNames(steps: readonly JsonPathNode[]): string[] {
  return steps.map((step) => {
    if (step.type !== "field") throw notAField();
    return step.name;
  });
}

function notAField(): CommandError {
  return new CommandError("invalid jsonpath syntax, first node must be field node");
}
