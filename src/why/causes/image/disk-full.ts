import { imageCause } from "../../facts/image-failure.ts";

export const imageDiskFull = imageCause({
  name: "image-disk-full",
  texts: /no space left on device|disk quota exceeded/i,
  explain: ({ image }) => ({
    sentence: `the node has no disk space left for the image "${image}"`,
    fix: ["kubectl describe nodes", "k8ts image rm IMAGE"],
  }),
});
