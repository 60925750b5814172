import type { AwsClient } from "./aws-client.ts";
import type { Operation } from "./operation.ts";
import type { Shape, Value } from "./shape.ts";

/** Limit of pages of one list: at 1,000 elements a page, ten times what an account may have. */
const maxPages = 1_000;

/** How an operation is continued: the parameter, and the token of the next page in a result. */
interface Paging<P extends object, S extends Shape> {
  readonly operation: Operation<P, S>;
  next(result: Value<S>): string | undefined;
  /** The parameters of the next page. */
  continued(params: P, token: string): P;
}

/** All pages of a list. */
export async function* pagesOf<P extends object, S extends Shape>(
  client: AwsClient,
  { operation, next, continued }: Paging<P, S>,
  params: P,
  signal: AbortSignal,
): AsyncGenerator<Value<S>> {
  let request = params;
  for (let page = 0; page < maxPages; page++) {
    const result = await client.call(operation, request, signal);
    yield result;
    const token = next(result);
    if (!token) return;
    request = continued(params, token);
  }
  throw new Error(`${operation.action}: more than ${maxPages} pages`);
}
