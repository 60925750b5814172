/** Upstream: pkg/kubelet/clustertrustbundle/clustertrustbundle_manager.go. */
import { readPemBlocks, writePem } from "#/std/x509/pem.ts";

/** Certificates of all texts, each once and in one order, without what else the texts say. */
export function normalizeAnchors(texts: readonly string[]): string {
  const blocks = new Set<string>();
  for (const text of texts) {
    for (const { der } of readPemBlocks(text)) blocks.add(writePem("CERTIFICATE", der));
  }
  return [...blocks].sort().join("");
}
