/** A text in which words between backticks stand as code, as the API's own descriptions have them. */
export const CodeWords = ({ text }: { text: string }) =>
  text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no name but their position.
      <code key={index} className="code-word">
        {part}
      </code>
    ),
  );
