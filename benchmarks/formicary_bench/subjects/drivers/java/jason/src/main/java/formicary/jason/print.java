package formicary.jason;

import jason.asSemantics.DefaultInternalAction;
import jason.asSemantics.TransitionSystem;
import jason.asSemantics.Unifier;
import jason.asSyntax.StringTerm;
import jason.asSyntax.Term;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** `formicary.jason.print(Data)`: prints it where nobody looks. */
public final class print extends DefaultInternalAction {
    private final transient PrintStream console =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    @Override
    public Object execute(TransitionSystem system, Unifier unifier, Term[] given) {
        console.println(((StringTerm) given[0]).getString());
        return true;
    }
}
