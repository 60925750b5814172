/**
 * Upstream:
 * staging/src/k8s.io/kubectl/pkg/cmd/config/{delete_cluster,delete_context,delete_user,get_clusters,get_users}.go.
 */

import { CommandError, usageError } from "../../base/errors.ts";
import { type Command, command } from "../../command/command.ts";
import { KubeconfigAccess } from "./kubeconfig-access.ts";
import type { SectionName } from "./typed-kubeconfig.ts";

function listing(usage: string, section: SectionName): Command {
  return command({
    usage,
    flags: {},
    showsFlagsInUsage: true,
    async run(_, context) {
      const access = await KubeconfigAccess.open(context);
      context.out.write(["NAME", ...access.names(section)].map((name) => `${name}\n`).join(""));
    },
  });
}

/** `kubectl config get-clusters`. */
export const getClusters = listing("get-clusters", "clusters");

/** `kubectl config get-users`. */
export const getUsers = listing("get-users", "users");

function deletion(noun: string, section: SectionName): Command {
  return command({
    usage: `delete-${noun} NAME`,
    flags: {},
    completes: { of: "kubeconfig", section, once: true },
    async run({ args }, context) {
      const [name] = args;
      if (name === undefined || args.length !== 1) {
        if (noun === "user") throw usageError(context, "user to delete is required");
        context.out.write(await context.help());
        return;
      }
      const access = await KubeconfigAccess.open(context);
      const where = access.defaultFile;
      if (!access.find(section, name)) {
        throw new CommandError(`cannot delete ${noun} ${name}, not in ${where}`);
      }
      if (section === "contexts" && access.config["current-context"] === name) {
        context.err.write(
          'warning: this removed your active context, use "kubectl config use-context" to select a different one\n',
        );
      }
      await access.remove(section, name);
      context.out.write(`deleted ${noun} ${name} from ${where}\n`);
    },
  });
}

/** `kubectl config delete-cluster`. */
export const deleteCluster = deletion("cluster", "clusters");

/** `kubectl config delete-context`. */
export const deleteContext = deletion("context", "contexts");

/** `kubectl config delete-user`. */
export const deleteUser = deletion("user", "users");
