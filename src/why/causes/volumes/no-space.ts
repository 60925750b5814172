import { mountCause, volumeText } from "../../facts/mount-failure.ts";

export const volumeNoSpace = mountCause({
  name: "volume-no-space",
  texts: /no space left on device|ENOSPC/i,
  explain(_match, failure, { spec }) {
    const limits = spec.containers.map(({ resources }) => resources?.limits?.["memory"]);
    const limit = limits.find((one) => one !== undefined);
    const inMemory = limit
      ? ` or, as volumes of tokens and Secrets are in memory, its memory limit of ${limit} is too small`
      : "";
    return {
      sentence: `node ${spec.nodeName} has no space for its volume${volumeText(failure)}: the node's disk is full${inMemory}`,
      fix: [`kubectl why node/${spec.nodeName}`, "# raise resources.limits.memory if it is tiny"],
    };
  },
});
