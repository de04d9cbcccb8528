import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

/**
 * Markdown of a conversation. Raw HTML is not rendered, images are named and
 * not fetched, and only http(s) and mailto links lead anywhere. Headings keep
 * their order below the session's own.
 */
export default function Markdown({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
      {text}
    </ReactMarkdown>
  );
}

const components: Components = {
  a: ({ href, children }) =>
    href !== undefined && /^(https?:|mailto:)/i.test(href) ? (
      <a href={href} rel="noopener noreferrer" target="_blank">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ alt }) => <span className="image-name">[image: {alt ?? ""}]</span>,
  // A reader without a mouse can scroll what does not fit.
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  table: ({ children }) => (
    <div className="table" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h4>{children}</h4>,
  h5: ({ children }) => <h4>{children}</h4>,
  h6: ({ children }) => <h4>{children}</h4>,
  // A list of tasks is shown, not worked.
  input: ({ checked }) => <span className="task">{checked ? "[x]" : "[ ]"}</span>,
};
