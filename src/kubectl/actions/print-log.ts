import type { Pod } from "#/api/core/v1.ts";
import { CommandError } from "../base/errors.ts";
import type { Context } from "../command/context.ts";

/** Prints the log of a container. */
export async function printLog(context: Context, pod: Pod, container: string): Promise<void> {
  const transport = await context.cluster.transport();
  const { name, namespace } = pod.metadata ?? {};
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
  const { status, chunks } = await transport.stream({ method: "GET", path, query: { container } });
  if (status >= 400) throw new CommandError(`the server answered ${status}`);
  for await (const chunk of chunks) context.out.write(chunk);
}
