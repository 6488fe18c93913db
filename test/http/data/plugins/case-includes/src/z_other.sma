this is no Pawn {
