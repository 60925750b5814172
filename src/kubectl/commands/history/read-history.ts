import { resourcePath } from "#/client/resource-path.ts";
import { clusterHistories, histories } from "#/machinery/journey/handles.ts";
import { resourceText } from "#/machinery/journey/step.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { CommandError } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";

/** A version of an object, as the server shows it. */
export interface ShownVersion {
  readonly revision: string;
  readonly time: string;
  readonly verb: string;
  readonly subresource?: string;
  readonly user?: string;
  readonly manager?: string;
  readonly deleted?: boolean;
  readonly changed?: readonly string[];
  readonly object?: object;
}

interface ObjectHistory {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: object;
  readonly versions: readonly ShownVersion[];
}

/** The known versions of an object; throws if the server has none. */
export async function readHistory(
  { mapping, namespace, name }: ResourceInfo,
  context: Context,
  query: Readonly<Record<string, string>> = {},
): Promise<ObjectHistory> {
  const handle = mapping.namespaced ? histories : clusterHistories;
  const client = await context.cluster.client();
  try {
    return await client.request<ObjectHistory>({
      method: "GET",
      path: resourcePath(handle, { namespace, name }),
      query: { resource: resourceText(mapping), ...query },
    });
  } catch (error) {
    if (!isStatusError(error) || error.code !== 404) throw error;
    const isServed = error.status.details?.name !== undefined;
    throw new CommandError(
      isServed
        ? `no version of ${mapping.name}/${name} is known of that time`
        : "this server keeps no history (k8ts does)",
    );
  }
}
