/** Upstream: pkg/kubelet/clustertrustbundle/clustertrustbundle_manager.go. */
import { readPemBlocks, writePem } from "#/std/x509/pem.ts";

/** The certificates of all texts, each once and in a fixed order, without other text. */
export function normalizeAnchors(texts: readonly string[]): string {
  const blocks = new Set<string>();
  for (const text of texts) {
    for (const { der } of readPemBlocks(text)) blocks.add(writePem("CERTIFICATE", der));
  }
  return [...blocks].sort().join("");
}
