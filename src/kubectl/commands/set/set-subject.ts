/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/set_subject.go. */
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { CommandError } from "../../base/errors.ts";
import { kindOf } from "../../base/unstructured.ts";
import { command, type Invocation } from "../../command/command.ts";
import type { Context } from "../../command/context.ts";
import { dryRunOf, selectorFlag } from "../../command/shared-flags.ts";
import type { DryRun } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import {
  localNeedsFiles,
  refuseLocalOnServer,
  setFlags,
  setOnAll,
  targetsOf,
} from "./set-objects.ts";

const { record, ...sharedFlags } = setFlags;

const flags = {
  ...sharedFlags,
  ...selectorFlag,
  user: { type: "stringArray", help: "User to add. May be repeated" },
  group: { type: "stringArray", help: "Group to add. May be repeated" },
  serviceaccount: {
    type: "stringArray",
    help: "ServiceAccount to add, in the format <namespace>:<name>. May be repeated",
  },
} satisfies FlagSet;

type SubjectInvocation = Invocation<typeof flags>;

const rbac = "rbac.authorization.k8s.io";

/** `kubectl set subject`. */
export const setSubject = command({
  usage:
    "subject (-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
  flags,
  run,
});

async function run({ flags, args }: SubjectInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const printer = toPrinter(flags, context, {
    operation: "subjects updated",
    dryRun,
    keepsOrder: true,
  });
  const { namespace } = await context.cluster.namespace();
  if (flags.local && args.length > 0) throw new CommandError(localNeedsFiles);
  const infos = await targetsOf(flags, args, context);
  validate(flags, dryRun, infos);
  const setting = {
    context,
    printer,
    dryRun,
    local: flags.local,
    fieldManager: flags["field-manager"],
    record: false,
    failure: "failed to patch subjects to rolebinding:",
  };
  const wanted = subjectsOf(flags, namespace);
  await setOnAll(setting, infos, (object) => {
    const { kind } = kindOf(object);
    if (kind !== "RoleBinding" && kind !== "ClusterRoleBinding") {
      throw new CommandError(
        "setting subjects is only supported for RoleBinding/ClusterRoleBinding",
      );
    }
    const existing = (object["subjects"] ?? []) as unknown[];
    const added = wanted.filter((subject) => !existing.some((each) => deepEqual(each, subject)));
    object["subjects"] = [...existing, ...added];
    return added.length > 0;
  });
}

function validate(
  flags: SubjectInvocation["flags"],
  dryRun: DryRun,
  infos: readonly ResourceInfo[],
): void {
  refuseLocalOnServer(flags.local, dryRun);
  if (flags.all && flags.selector !== "") {
    throw new CommandError("cannot set --all and --selector at the same time");
  }
  if (flags.user.length + flags.group.length + flags.serviceaccount.length === 0) {
    throw new CommandError("you must specify at least one value of user, group or serviceaccount");
  }
  for (const account of flags.serviceaccount) {
    const [namespace = "", name = "", ...rest] = account.split(":");
    if (name === "" || rest.length > 0) {
      throw new CommandError("serviceaccount must be <namespace>:<name>");
    }
    if (namespace === "" && infos.some(({ object }) => object?.kind === "ClusterRoleBinding")) {
      throw new CommandError(
        "serviceaccount must be <namespace>:<name>, namespace must be specified",
      );
    }
  }
}

function subjectsOf(flags: SubjectInvocation["flags"], namespace: string): object[] {
  const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();
  return [
    ...unique(flags.user).map((name) => ({ kind: "User", apiGroup: rbac, name })),
    ...unique(flags.group).map((name) => ({ kind: "Group", apiGroup: rbac, name })),
    ...unique(flags.serviceaccount).map((text) => {
      const [own = "", name = ""] = text.split(":");
      return { kind: "ServiceAccount", name, namespace: own || namespace };
    }),
  ];
}
