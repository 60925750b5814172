import { awsFlags } from "./aws/tagging/flags.ts";
import type { ProviderEntry } from "./base/provider-context.ts";
import { localFlags } from "./local/flags.ts";

/** All cloud providers. An entry imports the provider's flags at most, and loads the rest. */
export const providers: readonly ProviderEntry[] = [
  {
    name: "local",
    flags: localFlags,
    controllers: [{ name: "service-localhost-controller" }],
    load: async () => (await import("./local/local-provider.ts")).openLocal,
  },
  {
    name: "aws",
    flags: awsFlags,
    controllers: [{ name: "tagging", isOffByDefault: true }],
    load: async () => (await import("./aws/aws-provider.ts")).openAws,
  },
];
