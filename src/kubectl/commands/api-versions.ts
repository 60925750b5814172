/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apiresources/apiversions.go. */

import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { CommandError, messageOf, usageError } from "../base/errors.ts";
import { command } from "../command/command.ts";

/** `kubectl api-versions`. */
export const apiVersions = command({
  usage: "api-versions",
  flags: {},
  async run({ args }, context) {
    if (args.length > 0) throw usageError(context, `unexpected arguments: [${args.join(" ")}]`);
    const discovery = await context.cluster.discovery();
    const groups = await discovery.refreshed().catch((error: unknown) => {
      const text = `couldn't get available api versions from server: ${messageOf(error)}`;
      throw new CommandError(text, { cause: error });
    });
    const found = groups.flatMap(({ group, versions }) =>
      versions.map(({ version }) => apiVersionOf({ group, version })),
    );
    for (const each of found.sort()) context.out.write(`${each}\n`);
  },
});
