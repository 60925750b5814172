import { randomUUID } from "node:crypto";
import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { fromStatus } from "#/machinery/meta/status-error.ts";
import { callInProcess, collectBody } from "../../http/in-process.ts";
import type { Handler, UserInfo } from "../../model/exchange.ts";

/** The user of the server's requests to itself. */
export const loopbackUser: UserInfo = {
  name: "system:apiserver",
  uid: randomUUID(),
  groups: ["system:masters", "system:authenticated"],
};

/** Sends a request of the server itself through all filters; throws the error of a failed response. */
export async function loopback<T>(
  handler: Handler,
  method: string,
  url: string,
  object?: object,
): Promise<T> {
  const reply = await callInProcess(handler, {
    method,
    url,
    headers: {
      accept: "application/json",
      "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      "user-agent": `kube-apiserver/${kubernetesVersion}`,
    },
    ...(object ? { body: Buffer.from(JSON.stringify(object)) } : {}),
    user: loopbackUser,
  });
  const answer = JSON.parse((await collectBody(reply)).toString());
  if (reply.status >= 400) throw fromStatus(answer);
  return answer as T;
}
