import { Skeleton, Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { FormFromSchemaProps } from "./FormFromSchema.tsx";

const FormFromSchema = lazy(() => import("./FormFromSchema.tsx").then((file) => ({ default: file.FormFromSchema })));

/** A form made from a JSON Schema. The library behind it is loaded with the first form. */
export const SchemaForm = (props: FormFromSchemaProps) => (
  <Suspense
    fallback={
      <Stack gap="sm" role="status" aria-label="Loading the form">
        <Skeleton height={54} />
        <Skeleton height={54} />
      </Stack>
    }
  >
    <FormFromSchema {...props} />
  </Suspense>
);
