/** Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/mapper.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf, PlainError } from "../base/errors.ts";
import { isList, kindOf, type Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import { NoKindMatch } from "../discovery/rest-mapper.ts";
import { ResourceInfo } from "./resource-info.ts";

export interface InfoOptions {
  readonly source: string;
  readonly local: boolean;
  readonly inList?: boolean;
}

/** An object with its resource on the server. */
export async function infoOf(
  context: Context,
  object: Unstructured,
  { source, local, inList = false }: InfoOptions,
): Promise<ResourceInfo> {
  const { name = "", namespace = "" } = object.metadata ?? {};
  const fields = { name, namespace, object, source };
  if (inList) requireKind(object);
  if (local || isGenericList(object)) return new ResourceInfo(context.cluster, undefined, fields);
  const mapper = await context.cluster.mapper();
  try {
    return new ResourceInfo(context.cluster, await mapper.forKind(kindOf(object)), fields);
  } catch (error) {
    if (!(error instanceof NoKindMatch)) {
      const place = inList ? "" : ` ${goQuote(source)}:`;
      throw new CommandError(`unable to recognize${place} ${messageOf(error)}`, { cause: error });
    }
    if (inList) throw new CommandError(`unable to recognize ${error.message}`, { cause: error });
    throw new CommandError(
      `resource mapping not found for name: ${goQuote(name)} namespace: ${goQuote(namespace)} from ${goQuote(source)}: ${error.message}\nensure CRDs are installed first`,
      { cause: error },
    );
  }
}

/** An item of a list must have apiVersion and kind. */
function requireKind({ apiVersion = "", kind = "" }: Unstructured): void {
  if (apiVersion !== "" && kind !== "") return;
  const missing =
    kind === ""
      ? "Object 'Kind' is missing in 'object has no kind field '"
      : "Object 'apiVersion' is missing in 'object has no apiVersion field'";
  throw new PlainError(
    `unable to get type info from the object "*unstructured.Unstructured": ${missing}`,
  );
}

/** v1 List and the lists of kinds are expanded before their resource is looked up. */
function isGenericList(object: Unstructured): boolean {
  return isList(object);
}

/** Rejects an object whose namespace differs from that of the command line. */
export function requireOneNamespace(info: ResourceInfo, namespace: string): void {
  if (info.namespace === namespace || info.namespace === "") return;
  throw new CommandError(
    `the namespace from the provided object ${goQuote(info.namespace)} does not match the namespace ${goQuote(namespace)}. You must pass '--namespace=${info.namespace}' to perform this operation.`,
  );
}
