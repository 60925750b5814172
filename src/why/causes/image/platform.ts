import { imageCause } from "../../facts/image-failure.ts";

export const imagePlatform = imageCause({
  name: "image-platform",
  texts:
    /no match for platform|no matching manifest|no image found in .*manifest list|image operating system/i,
  explain: ({ image, setImage }) => ({
    sentence: `the image "${image}" does not exist for the processor architecture of the node`,
    fix: ["kubectl get nodes -L kubernetes.io/arch", setImage],
  }),
});
