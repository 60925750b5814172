import { ownCommand } from "../base/own-command.ts";
import type { ClusterSettings } from "../base/settings.ts";

const kind = "EncryptionConfiguration";

/** Why the keys of an existing cluster's Secrets can't change in this way; undefined if they stay readable. Pure. */
export function encryptionProblem(
  found: ClusterSettings,
  documents: ClusterSettings["documents"],
): string | undefined {
  const [had, has] = [found.documents, documents].map((all) => all?.[kind] !== undefined);
  if (had && !has) {
    return `the Secrets of the cluster are stored with the keys of the ${kind}, which the file no longer has: keep it`;
  }
  if (has && !had && found.encryptsSecrets) {
    return `the cluster has keys of its own for its Secrets: leave out the ${kind}; to make another key: ${ownCommand("certificate rotate encryption", found.name)}`;
  }
  return undefined;
}

/** Why --encrypt-secrets can't change. */
export const encryptionChangeText = ({ encryptsSecrets, name }: ClusterSettings): string =>
  encryptsSecrets
    ? "the Secrets of the cluster are encrypted; that can't be turned off"
    : `the Secrets of the cluster are not encrypted; to encrypt them: ${ownCommand("certificate rotate encryption", name)}`;
