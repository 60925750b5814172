/** Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/selector.go. */
import { isGone, StatusError } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { UnstructuredList } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import type { Mapping } from "../discovery/discovered-group.ts";
import { ResourceInfo } from "./resource-info.ts";

/** Objects of one type. */
export interface Selection {
  readonly mapping: Mapping;
  /** "" for all. */
  readonly namespace: string;
  readonly labels: string;
  readonly fields: string;
}

interface PageOptions {
  /** Limit of objects in a page; 0 for one page of all. */
  readonly chunkSize: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** The pages of a list, each as one object. */
export async function* listPages(
  context: Context,
  selection: Selection,
  { chunkSize, headers, query }: PageOptions,
): AsyncGenerator<ResourceInfo> {
  const client = await context.cluster.client();
  const { mapping, namespace } = selection;
  let limit = chunkSize;
  let token: string | undefined;
  do {
    let list: UnstructuredList;
    try {
      list = await client.request<UnstructuredList>({
        method: "GET",
        path: collectionPath(mapping, namespace),
        headers,
        query: {
          ...query,
          labelSelector: selection.labels || undefined,
          fieldSelector: selection.fields || undefined,
          limit: limit > 0 ? limit : undefined,
          continue: token,
        },
      });
    } catch (error) {
      if (!isGone(error) || token === undefined) throw enhanced(error, selection);
      // The continue token has expired: the list is read again from the beginning, in one page.
      limit = 0;
      token = undefined;
      continue;
    }
    yield new ResourceInfo(context.cluster, mapping, { namespace, object: list });
    token = list.metadata?.continue || undefined;
  } while (token !== undefined);
}

/** The path at which objects of a type are listed and created. */
export function collectionPath(
  { group, version, name, namespaced }: Mapping,
  namespace: string,
): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const place =
    namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${place}/${name}`;
}

/** Adds the resource type to a failure of a list. */
function enhanced(error: unknown, { mapping, labels, fields }: Selection): unknown {
  if (!(error instanceof StatusError)) return error;
  const { reason, message = "" } = error.status;
  if (reason !== "BadRequest" && reason !== "NotFound") return error;
  const subject = goQuote(
    `${[mapping.group, mapping.version].join("/")}, Resource=${mapping.name}`,
  );
  const text =
    labels === "" && fields === ""
      ? `Unable to list ${subject}: ${message}`
      : `Unable to find ${subject} that match label selector ${goQuote(labels)}, field selector ${goQuote(fields)}: ${message}`;
  return new StatusError({ ...error.status, message: text });
}
