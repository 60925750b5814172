/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/auth/whoami.go. */
import { isNotFound, isStatusError } from "#/machinery/meta/status-error.ts";
import { CommandError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import { command } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { TabWriter } from "../../printers/tab-writer.ts";
import { toPrinter } from "../../printers/to-printer.ts";

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** `kubectl auth whoami`. */
export const whoami = command({
  usage: "whoami",
  flags: printFlags,
  async run({ flags }, context) {
    const review = await ask(context);
    if (flags.output !== "") {
      toPrinter(flags, context, { operation: "" }).print(review, context.out);
      return;
    }
    const { userInfo = {} } = (review["status"] ?? {}) as { userInfo?: UserInfo };
    const table = new TabWriter((text) => context.out.write(text));
    table.write("ATTRIBUTE\tVALUE\n");
    for (const [attribute, value] of rows(userInfo)) table.write(`${attribute}\t${value}\n`);
    table.flush();
  },
});

function* rows({ username, uid, groups = [], extra = {} }: UserInfo): Generator<[string, string]> {
  if (username) yield ["Username", username];
  if (uid) yield ["UID", uid];
  if (groups.length > 0) yield ["Groups", `[${groups.join(" ")}]`];
  for (const key of Object.keys(extra).sort()) {
    yield [`Extra: ${key}`, `[${(extra[key] ?? []).join(" ")}]`];
  }
}

async function ask(context: Context): Promise<Unstructured> {
  const client = await context.cluster.client();
  const apiVersion = "authentication.k8s.io/v1";
  try {
    return await client.request<Unstructured>({
      method: "POST",
      path: `/apis/${apiVersion}/selfsubjectreviews`,
      body: { apiVersion, kind: "SelfSubjectReview", metadata: {} },
    });
  } catch (error) {
    const disabled = "the selfsubjectreviews API is not enabled in the cluster";
    if (isStatusError(error, "Forbidden")) {
      throw new CommandError(`${disabled} or you do not have permission to call it`);
    }
    if (isNotFound(error)) throw new CommandError(disabled);
    throw error;
  }
}
