/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create_token.go. */
import { serviceAccounts } from "#/api/core/v1.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError, messageOf } from "../../base/errors.ts";
import { fieldAt, type Unstructured } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { printFlags } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { nameFrom } from "./generator.ts";

/** Kinds of objects that a token can be bound to. */
const boundKinds: Readonly<Record<string, string>> = { Node: "v1", Pod: "v1", Secret: "v1" };

const flags = {
  ...printFlags,
  audience: {
    type: "stringArray",
    help:
      "Audience that the token is valid for; default the API server. May be repeated for " +
      "several audiences",
  },
  duration: {
    type: "duration",
    help:
      "Lifetime of the token. If it is 0 or not given, the server decides; it may also " +
      "return a token of a longer or shorter lifetime",
  },
  "bound-object-kind": {
    type: "string",
    help:
      "Kind of an object that the token is bound to: Node, Pod or Secret. Needs " +
      "--bound-object-name",
  },
  "bound-object-name": {
    type: "string",
    help:
      "Name of an object that the token is bound to: it becomes invalid when the object is " +
      "deleted. Needs --bound-object-kind",
  },
  "bound-object-uid": {
    type: "string",
    help:
      "UID of the object that the token is bound to; default that of the existing object. " +
      "Needs --bound-object-kind and --bound-object-name",
  },
} satisfies FlagSet;

type TokenInvocation = Invocation<typeof flags>;

/** `kubectl create token`. */
export const createToken = command({
  usage: "token SERVICE_ACCOUNT_NAME",
  flags,
  completes: { of: "names", type: "serviceaccounts", once: true },
  run,
});

async function run(invocation: TokenInvocation, context: Context): Promise<void> {
  const { flags, changed } = invocation;
  const name = nameFrom(invocation, context);
  const { namespace } = await context.cluster.namespace();
  const printer = toPrinter(flags, context, { operation: "created", keepsOrder: true });
  validate(flags);
  const kind = flags["bound-object-kind"];
  const uid = flags["bound-object-uid"];
  const spec = {
    audiences: flags.audience.length > 0 ? flags.audience : null,
    ...(flags.duration > 0 ? { expirationSeconds: flags.duration / 1000 } : {}),
    ...(kind === ""
      ? {}
      : {
          boundObjectRef: {
            kind,
            apiVersion: boundKinds[kind],
            name: flags["bound-object-name"],
            ...(uid === "" ? {} : { uid }),
          },
        }),
  };
  const client = await context.cluster.client();
  const body = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {},
    spec,
    status: {},
  };
  let answer: Unstructured;
  try {
    answer = await client.createSubresource<object, Unstructured>(
      serviceAccounts,
      { name, namespace },
      "token",
      body,
    );
  } catch (error) {
    throw new CommandError(`failed to create token: ${messageOf(error)}`, { cause: error });
  }
  const token = fieldAt(answer, "status", "token");
  if (typeof token !== "string" || token === "") {
    throw new CommandError("failed to create token: no token in server response");
  }
  if (changed.has("output")) printer.print(answer, context.out);
  else context.out.write(context.out.isTerminal ? `${token}\n` : token);
}

function validate(flags: TokenInvocation["flags"]): void {
  const kind = flags["bound-object-kind"];
  const name = flags["bound-object-name"];
  const rules: (readonly [boolean, string])[] = [
    [flags.duration < 0, "--duration must be greater than or equal to 0"],
    [flags.duration % 1000 !== 0, "--duration cannot be expressed in units less than seconds"],
    [flags.audience.includes(""), "--audience must not be an empty string"],
    [
      kind === "" && name !== "",
      "--bound-object-name can only be set if --bound-object-kind is provided",
    ],
    [
      kind === "" && flags["bound-object-uid"] !== "",
      "--bound-object-uid can only be set if --bound-object-kind is provided",
    ],
    [
      kind !== "" && !Object.hasOwn(boundKinds, kind),
      "supported --bound-object-kind values are Node, Pod, Secret",
    ],
    [
      kind !== "" && name === "",
      "--bound-object-name is required if --bound-object-kind is provided",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken) throw new CommandError(broken[1]);
}
