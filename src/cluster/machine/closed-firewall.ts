import { runProgram } from "#/std/process/run-program.ts";
import type { Progress } from "../base/progress.ts";
import type { ClusterSettings } from "../base/settings.ts";
import {
  type FirewallFacts,
  firewallHints,
  type ListedChains,
  namespaceHints,
} from "./firewall-hints.ts";
import { planNamespace } from "./network-namespace.ts";

/** Prints the rules that a closed firewall of this machine needs. */
export async function reportClosedFirewall(
  progress: Progress,
  { name, networkNamespace, role, server }: ClusterSettings,
): Promise<void> {
  const facts = await readFirewall();
  if (networkNamespace) {
    for (const line of namespaceHints(facts, planNamespace(name).link)) progress.print(line);
    return;
  }
  const serverPort = `${new URL(server).port || 443}/tcp`;
  const ports = [...(role === "server" ? [serverPort] : []), "10250/tcp", "8472/udp"];
  for (const line of firewallHints(facts, ports)) progress.print(line);
}

async function readFirewall(): Promise<FirewallFacts> {
  const text = await runProgram("nft", ["-j", "list", "chains"]).catch(() => "");
  const input = await runProgram("iptables", ["-S", "INPUT"]).catch(() => "");
  const empty: ListedChains = { nftables: [] };
  return { chains: text === "" ? empty : (JSON.parse(text) as ListedChains), input };
}
