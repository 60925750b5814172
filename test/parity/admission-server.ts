import type { UserInfo } from "#/apiserver/http/exchange.ts";
import { FakeClock } from "#/std/fake-clock.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import { admin } from "#/testing/start-api-server.ts";
import type { RawRequest, Target } from "./reference.ts";

/** Our server with the admission plugins that some flags ask for. */
export async function startAdmissionTarget(
  flags: readonly string[] = ["--disable-admission-plugins=ServiceAccount"],
): Promise<Target> {
  const server = await startAdmittingServer(flags, {
    // Time stands still, so that no case is ever cut in two by the clock.
    clock: new FakeClock(Date.UTC(2026, 10, 1)),
  });
  return {
    async send({ method, path, headers, body }) {
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const answer = await server.call(method, path, bytes, { headers, user: userOf(headers) });
      const flat = Object.entries(answer.headers).map(([name, value]) => [
        name,
        [value].flat().join(", "),
      ]);
      return { status: answer.status, headers: Object.fromEntries(flat), text: answer.text };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Whom a request is made for: the real server is asked to take us for somebody else. */
function userOf(headers: RawRequest["headers"]): UserInfo {
  const name = headers["impersonate-user"];
  if (name === undefined) return { ...admin, name: "parity", uid: "parity" };
  const group = headers["impersonate-group"];
  return { name, groups: [...(group ? [group] : []), "system:authenticated"] };
}
