import type { UserInfo } from "#/apiserver/model/exchange.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import type { RawRequest, Target } from "./reference.ts";

export interface TargetOptions {
  /** The embedding of the server, disposed of with it. */
  readonly whole?: AsyncDisposable;
  /** The user of a request; default an administrator. */
  readonly userOf?: (headers: RawRequest["headers"]) => UserInfo;
}

/** A server of this process as a target of cases. */
export function inProcessTarget(
  server: TestApiServer,
  { whole = server, userOf }: TargetOptions = {},
): Target {
  return {
    async send({ method, path, headers, body }) {
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const answer = await server.call(method, path, bytes, {
        headers,
        ...(userOf ? { user: userOf(headers) } : {}),
      });
      const flat = Object.entries(answer.headers).map(([name, value]) => [
        name,
        [value].flat().join(", "),
      ]);
      return { status: answer.status, headers: Object.fromEntries(flat), text: answer.text };
    },
    [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
  };
}
