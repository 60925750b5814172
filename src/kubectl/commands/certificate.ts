/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/certificates/certificates.go. */
import { isConflict } from "#/machinery/meta/status-error.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import { kindOf, type Unstructured } from "../base/unstructured.ts";
import { type Command, command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { filenameFlags } from "../command/shared-flags.ts";
import { printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import type { ResourceInfo } from "../resource/resource-info.ts";

/** `kubectl certificate`. */
export const certificate = command({
  usage: "certificate SUBCOMMAND",
  flags: {},
  subcommands: [
    {
      name: "approve",
      summary: "Approve a certificate signing request",
      load: async () => approve,
    },
    { name: "deny", summary: "Deny a certificate signing request", load: async () => deny },
  ],
  run: async (_, context) => context.out.write(await context.help()),
});

/** The condition that a decision writes, and the one that it contradicts. */
interface Decision {
  readonly operation: string;
  readonly type: string;
  readonly opposite: string;
  readonly reason: string;
  readonly message: string;
}

const flags = {
  ...printFlags,
  ...filenameFlags,
  force: { type: "bool", help: "Update the request even if it was approved or denied already" },
} satisfies FlagSet;

const approve = decide("approve", {
  operation: "approved",
  type: "Approved",
  opposite: "Denied",
  reason: "KubectlApprove",
  message: "This CSR was approved by kubectl certificate approve.",
});

const deny = decide("deny", {
  operation: "denied",
  type: "Denied",
  opposite: "Approved",
  reason: "KubectlDeny",
  message: "This CSR was denied by kubectl certificate deny.",
});

function decide(name: string, decision: Decision): Command {
  return command({
    usage: `${name} (-f FILENAME | NAME)`,
    flags,
    async run({ flags, args }, context) {
      const { operation } = decision;
      const printer = toPrinter(flags, context, { operation });
      if (args.length === 0 && flags.filename.length === 0 && flags.kustomize === "") {
        throw new CommandError("one or more CSRs must be specified as <name> or -f <filename>");
      }
      const builder = new ResourceBuilder(context, {
        filenames: flags.filename,
        kustomize: flags.kustomize,
        recursive: flags.recursive,
        resourceNames: { type: "certificatesigningrequests", names: args },
        continueOnError: true,
        flatten: true,
        latest: true,
      });
      let found = 0;
      await builder.visit(async (info) => {
        await setCondition(info, decision, flags.force, context);
        found++;
        printer.print(info.object ?? {}, context.out);
      });
      if (found === 0) context.out.write("No resources found\n");
    },
  });
}

interface Condition {
  readonly type: string;
}

async function setCondition(
  info: ResourceInfo,
  decision: Decision,
  force: boolean,
  context: Context,
): Promise<void> {
  const { group, kind } = kindOf(info.object ?? {});
  if (kind !== "CertificateSigningRequest" || group !== "certificates.k8s.io") {
    const got = group === "" ? kind : `${kind}.${group}`;
    throw new CommandError(
      `can only handle CertificateSigningRequest.certificates.k8s.io objects, got ${got}`,
    );
  }
  const client = await context.cluster.client();
  for (let attempt = 0; ; attempt++) {
    const request = await client.get(info.mapping, info.ref());
    const decided = withCondition(request as Unstructured, decision, context);
    if (decided === undefined && !force) return;
    try {
      const body = decided ?? request;
      await client.updateSubresource(info.mapping, info.ref(), "approval", body);
      return;
    } catch (error) {
      if (!isConflict(error) || attempt >= 10) throw error;
    }
  }
}

/** The request with the decision; undefined if it has it already. */
function withCondition(
  request: Unstructured,
  { type, opposite, reason, message }: Decision,
  { clock }: Context,
): Unstructured | undefined {
  const status = (request["status"] ?? {}) as { conditions?: readonly Condition[] };
  const conditions = status.conditions ?? [];
  if (conditions.some((each) => each.type === opposite)) {
    const name = goQuote(request.metadata?.name ?? "");
    throw new CommandError(`certificate signing request ${name} is already ${opposite}`);
  }
  if (conditions.some((each) => each.type === type)) return undefined;
  const lastUpdateTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const added = { type, status: "True", reason, message, lastUpdateTime };
  return { ...request, status: { ...status, conditions: [...conditions, added] } };
}
