/** Upstream: staging/src/k8s.io/cloud-provider/plugins.go, sample/basic_main.go. */
import { readFile } from "node:fs/promises";
import { asError } from "#/std/base/as-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { CloudFlags } from "./base/flags.ts";
import type { CloudProvider } from "./base/provider.ts";
import type { ProviderContext } from "./base/provider-context.ts";
import { providers } from "./providers.ts";

/** Opens the provider that the flags choose. Throws with upstream's messages. */
export async function openProvider(
  flags: CloudFlags,
  context: Omit<ProviderContext, "flags">,
): Promise<CloudProvider> {
  const name = flags["cloud-provider"];
  const file = flags["cloud-config"];
  const provider = await openNamed(name, file, { ...context, flags }).catch((error: unknown) => {
    const text = `Cloud provider could not be initialized: ${asError(error).message}`;
    throw new Error(text, { cause: error });
  });
  if (provider.hasClusterId) return provider;
  if (!flags["allow-untagged-cloud"]) {
    throw new Error(
      "no ClusterID found.  A ClusterID is required for the cloud provider to function properly.  This check can be bypassed by setting the allow-untagged-cloud option",
    );
  }
  context.log.warning(
    "detected a cluster without a ClusterID.  A ClusterID will be required in the future.  Please tag your cluster to avoid any future issues",
  );
  return provider;
}

async function openNamed(
  name: string,
  file: string,
  context: ProviderContext,
): Promise<CloudProvider> {
  const entry = providers.find((one) => one.name === name);
  if (!entry) throw new Error(`unknown cloud provider ${goQuote(name)}`);
  const config = file === "" ? "" : await readConfig(file);
  const open = await entry.load();
  return await open(config, context).catch((error: unknown) => {
    const text = `could not init cloud provider ${goQuote(name)}: ${asError(error).message}`;
    throw new Error(text, { cause: error });
  });
}

async function readConfig(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "no such file or directory" : asError(error).message;
    throw new Error(`couldn't open cloud provider configuration ${file}: open ${file}: ${why}`);
  }
}
