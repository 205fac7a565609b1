import { Skeleton, Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { SchemaFormProps } from "./SchemaForm.tsx";

const SchemaForm = lazy(() => import("./SchemaForm.tsx").then((file) => ({ default: file.SchemaForm })));

/** A form made from a JSON Schema. The library behind it is loaded with the first form. */
export const LazySchemaForm = (props: SchemaFormProps) => (
  <Suspense
    fallback={
      <Stack gap="sm" role="status" aria-label="Loading the form">
        <Skeleton height={54} />
        <Skeleton height={54} />
      </Stack>
    }
  >
    <SchemaForm {...props} />
  </Suspense>
);
