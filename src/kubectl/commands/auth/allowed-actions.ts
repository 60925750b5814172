/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/auth/cani.go (RunAccessList). */
import type { SelfSubjectRulesReview } from "#/api/authorization/v1.ts";
import { compactRules, ruleCells } from "../../base/compact-rules.ts";
import type { Context } from "../../command/context.ts";
import { TabWriter } from "../../printers/tab-writer.ts";

/** Prints the user's permissions in the namespace. */
export async function printAllowed(context: Context, noHeaders: boolean): Promise<void> {
  const { namespace } = await context.cluster.namespace();
  const client = await context.cluster.client();
  const apiVersion = "authorization.k8s.io/v1";
  const { status } = await client.request<SelfSubjectRulesReview>({
    method: "POST",
    path: `/apis/${apiVersion}/selfsubjectrulesreviews`,
    body: { apiVersion, kind: "SelfSubjectRulesReview", metadata: {}, spec: { namespace } },
  });
  if (status?.incomplete) {
    const { evaluationError = "" } = status;
    context.err.write(`Warning: the list may be incomplete: ${evaluationError}\n`);
  }
  const rules = [...(status?.resourceRules ?? []), ...(status?.nonResourceRules ?? [])];
  const table = new TabWriter((text) => context.out.write(text));
  if (!noHeaders) table.write("Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
  for (const rule of compactRules(rules)) table.write(`${ruleCells(rule)}\n`);
  table.flush();
}
