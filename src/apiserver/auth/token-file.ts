import { logger } from "#/std/log/log.ts";
import { parseCsvRecord } from "#/std/text/csv-record.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { TokenAuthenticator } from "../model/token-services.ts";
import { tokenDigest } from "./base/token-digest.ts";

const log = logger("token-file");

/**
 * Tokens from a file with lines `token,name,uid,"group,group"`. They are stored as digests, so that the time of a
 * lookup does not depend on how much of a guessed token is right.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/authentication/token/tokenfile/tokenfile.go.
 */
export function tokenFile(text: string, path: string): TokenAuthenticator {
  const users = new Map<string, UserInfo>();
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  lines.forEach((line, index) => {
    const record = parseCsvRecord(line);
    const [token = "", name = "", uid = "", groups] = record;
    if (record.length < 3) {
      throw new Error(
        `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`,
      );
    }
    if (token === "") {
      log.warning(
        `empty token has been found in token file '${path}', record number '${index + 1}'`,
      );
      return;
    }
    const digest = tokenDigest(token);
    if (users.has(digest)) {
      log.warning(
        `duplicate token has been found in token file '${path}', record number '${index + 1}'`,
      );
    }
    users.set(digest, { name, uid, groups: groups === undefined ? [] : groups.split(",") });
  });
  return {
    name: "token file",
    authenticateToken(token) {
      const user = users.get(tokenDigest(token));
      return user && { user };
    },
  };
}
