package formicary.jason;

import jason.asSemantics.DefaultInternalAction;
import jason.asSemantics.TransitionSystem;
import jason.asSemantics.Unifier;
import jason.asSyntax.Term;

/** `formicary.jason.next`: a round of a service is over; succeeds if there is another one to make. */
public final class next extends DefaultInternalAction {
    @Override
    public Object execute(TransitionSystem system, Unifier unifier, Term[] given) {
        return Rounds.now.next();
    }
}
