import { checkLocalAuthority, readLocalAuthority } from "../access/local-authority.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { failureText } from "../base/needs-root.ts";
import { getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { distrustAuthority, trustAuthority } from "../machine/trust-store.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { checkRunning } from "../supervision/check-running.ts";

const trustFlags = {
  ...clusterFlags,
  print: { type: "bool", help: "Only print the certificate of the authority." },
  remove: { type: "bool", help: "End the trust." },
} as const;

/** `k8ts trust`: certificates of names below k8s.localhost are good on this machine. */
export const main = command({
  name: "trust",
  description: `Makes this machine trust the cluster's authority for names below k8s.localhost, so that curl and
others open https://NAME.NAMESPACE.k8s.localhost without a warning. The authority can certify no other names. Chrome
and Firefox have stores of their own: import there what --print prints. down --purge ends the trust.`,
  examples: [
    ["Trust the cluster's names", "trust"],
    ["Get the certificate for a browser", "trust --print"],
    ["End it", "trust --remove"],
  ],
  flags: trustFlags,
  async run({ values }) {
    const paths = pathsOf(values);
    const settings = getSettings(paths);
    const { name } = settings;
    if (values.remove) {
      const files = await changed(() => distrustAuthority(name));
      process.stdout.write(
        files.length > 0 ? `removed ${files.join(", ")}\n` : "it was not trusted\n",
      );
      return 0;
    }
    if (settings.role !== "server") {
      throw new CommandFailure("the authority is read on the machine of the server");
    }
    await checkRunning(paths, settings, "server");
    const certificate = await readLocalAuthority(paths);
    checkLocalAuthority(certificate);
    if (values.print) {
      process.stdout.write(certificate);
      return 0;
    }
    const file = await changed(() => trustAuthority(name, certificate));
    if (!file) {
      throw new CommandFailure(
        "this system has no known folder of trusted authorities: use --print, and its own tools",
      );
    }
    process.stdout.write(`trusted: ${file}\nbrowsers have stores of their own: use --print\n`);
    return 0;
  },
});

async function changed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new CommandFailure(failureText(error), { cause: error });
  }
}
