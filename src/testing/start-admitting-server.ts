import { openAdmission } from "#/apiserver/admission/open-admission.ts";
import { apiServerFlags } from "#/apiserver/flags/index.ts";
import type { Authorizer } from "#/apiserver/model/authorizer.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { type StartOptions, startApiServer, type TestApiServer } from "./start-api-server.ts";

const mayAll: Authorizer = {
  name: "AlwaysAllow",
  authorize: () => ({ decision: "allow", reason: "" }),
};

/** Required flags of kube-apiserver that are irrelevant to tests of admission. */
const otherFlags = ["--etcd-servers=http://127.0.0.1:1"];

/** Starts a server with the admission chain of some flags. */
export function startAdmittingServer(
  args: readonly string[] = [],
  options: StartOptions = {},
): Promise<TestApiServer> {
  const { values } = parseFlags(apiServerFlags, [...otherFlags, ...args]);
  const authorizer = options.authorizer ?? mayAll;
  return startApiServer({
    allowPrivileged: values["allow-privileged"],
    ...options,
    gates: async (registry) => ({
      admission: await openAdmission(values, registry, authorizer),
    }),
  });
}
